"""Token prices: a table that the user can replace."""

from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, Field, ValidationError

from arena.errors import ConfigError, EvaluationError
from arena.files import read_text
from arena.taskfile.nodes import compose, plain_values

SHIPPED = Path(__file__).with_name("prices.yaml")
"""Packaged table; it names its sources."""


class Price(BaseModel, extra="forbid", frozen=True):
    """US dollars per million tokens. Cached tokens cost as input by default."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cache_read: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cache_write: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    def of(self, tokens_in: float, tokens_out: float, cached: float = 0) -> float:
        """Price these tokens in US dollars. Of those in, `cached` are read from a cache; others go to it."""
        written = self.input if self.cache_write is None or not cached else self.cache_write
        read = self.input if self.cache_read is None else self.cache_read
        return (written * (tokens_in - cached) + read * cached + self.output * tokens_out) / 1e6


def load_prices(path: Path | None = None) -> dict[str, Price]:
    """Load the shipped table, overridden by a file's entries. Raises ConfigError, with file:line, for a file
    that cannot be read or is no price list."""
    return _read(SHIPPED).prices | (_read(path).prices if path is not None else {})


def price_of(model: str, prices: dict[str, Price]) -> Price | None:
    """Find a model's price by exact name, date included; None if unknown. The offline agents cost nothing."""
    return Price(input=0, output=0) if model.startswith("arena/") else prices.get(model)


def price_note(model: str, path: Path | None = None, *, folders: bool = True) -> str:
    """Describe a model's price: source file, date, and where to change it. Without `folders`, files are named
    without those of this machine, for logs, which are passed on. Raises ConfigError as `load_prices`."""
    tables = {each: _read(each) for each in (path, SHIPPED) if each is not None}
    if model.startswith("arena/"):
        return f"{model} runs on this machine and costs nothing."
    shipped = SHIPPED if folders else SHIPPED.name
    source = next((each for each, table in tables.items() if model in table.prices), None)
    if source is None:
        return (
            f"The price of {model} is unknown; write it into a copy of {shipped} and pass that with --prices."
        )
    price, as_of = tables[source].prices[model], tables[source].as_of
    dated = f"as of {as_of}" if as_of else "without a date"
    own_name = source if folders else source.name
    edit = f"edit {own_name}" if source == path else f"edit a copy of {shipped} and pass it with --prices"
    return (
        f"Prices of {model} per million tokens: ${price.input:g} in, ${price.output:g} out, {dated}, "
        f"not verified; {edit}."
    )


def register_price(model: str, price: Price) -> None:
    """Register a price in Inspect AI, for its log and limits."""
    from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info

    cost = ModelCost(
        input=price.input,
        output=price.output,
        input_cache_read=price.input if price.cache_read is None else price.cache_read,
        input_cache_write=price.input if price.cache_write is None else price.cache_write,
    )
    try:
        info = get_model_info(model)
    except Exception:  # a name that Inspect's table does not have
        info = None
    set_model_info(model, (info or ModelInfo()).model_copy(update={"cost": cost}))


def set_price(model: str, prices: Path | None, limit: float | None) -> None:
    """Register a model's price, and refuse an unreachable limit. `limit` is one on the cost. Raises
    EvaluationError if it has no price, ConfigError as `load_prices`."""
    price = price_of(model, load_prices(prices))
    if price is not None:
        register_price(model, price)
    elif limit is not None:
        raise EvaluationError(
            f"{model}: its price is not known, so a limit on the cost would mean nothing; put a line such as "
            f"'{model}: {{input: 2.5, output: 10}}' (US dollars per million tokens) into a file for --prices"
        )


class _Table(NamedTuple):
    prices: dict[str, Price]
    as_of: str


def _read(path: Path) -> _Table:
    text = read_text(path)
    table = plain_values(compose(text, str(path)), str(path)) or {}
    if not isinstance(table, dict):
        raise ConfigError(f"{path}:1: expected lines such as 'openai/NAME: {{input: 2, output: 8}}'")
    as_of = str(table.pop("as_of", ""))
    prices = {str(names): _price(path, text, str(names), entry) for names, entry in table.items()}
    return _Table(
        {name.strip(): price for names, price in prices.items() for name in names.split(",")}, as_of
    )


def _price(path: Path, text: str, name: str, entry: object) -> Price:
    try:
        return Price.model_validate(entry)
    except ValidationError as error:
        line = next((n for n, each in enumerate(text.splitlines(), 1) if each.startswith(name)), 1)
        first = error.errors()[0]
        where = ".".join([name, *map(str, first["loc"])])
        raise ConfigError(f"{path}:{line}: {where}: {first['msg']}; expected input and output") from None
