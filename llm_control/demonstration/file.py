"""A demonstration from a file: `demonstration.yaml`, with its pictures beside it."""

import hashlib
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from arena.errors import ConfigError
from arena.files import MAX_DATA_BYTES, read_bytes, read_text
from arena.taskfile.nodes import compose, plain_values
from llm_control.demonstration import Demonstration, ShownTurn
from render import decode

Health = Annotated[float, Field(ge=0, le=100)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FirstView(_Strict):
    """What is seen before the first script, and the health there, 0 to 100."""

    pictures: tuple[str, ...] = Field(min_length=1)
    health: Health


class FileTurn(_Strict):
    """A script, the pictures after it (none after the last), and the health that is shown with them."""

    script: str = Field(min_length=1)
    health: Health | None = None
    reward: float = 0.0
    pictures: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.pictures and self.health is None:
            raise ValueError("a health with its pictures")
        return self


class DemonstrationFile(_Strict):
    """The keys of `demonstration.yaml`; pictures are PNG or JPEG files, named from the file's own folder."""

    source: str = ""
    first: FirstView
    turns: tuple[FileTurn, ...] = Field(min_length=1)
    outcome: str = "goal"
    total_reward: float = 0.0

    def names(self) -> tuple[str, ...]:
        """All its pictures, in order."""
        return (*self.first.pictures, *(name for turn in self.turns for name in turn.pictures))


def read_demonstration(path: Path) -> Demonstration:
    """The demonstration of a file. Raises ConfigError, with file:line, for what cannot serve."""
    return _demonstration(_read(path), path)


def file_sha256(path: Path) -> str:
    """One content hash of the file and its pictures, in hexadecimal. Raises ConfigError."""
    names = _read(path).names()
    digest = hashlib.sha256(read_bytes(path))
    for name in names:
        digest.update(hashlib.sha256(_picture(path, name)).digest())
    return digest.hexdigest()


def _demonstration(found: DemonstrationFile, path: Path) -> Demonstration:
    turns = tuple(
        ShownTurn(number, turn.script, turn.health, turn.reward)
        for number, turn in enumerate(found.turns, start=1)
    )
    return Demonstration(
        tuple(_picture(path, name) for name in found.first.pictures),
        found.first.health,
        found.first.health,
        turns,
        tuple(tuple(_picture(path, name) for name in turn.pictures) for turn in found.turns),
        found.outcome,
        found.total_reward,
        found.source,
    )


def _read(path: Path) -> DemonstrationFile:
    root = compose(read_text(path), str(path))
    try:
        return DemonstrationFile.model_validate(plain_values(root, str(path)))
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, problem["loc"])) or "the file"
        expected = problem["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
        raise ConfigError(
            f"demonstration {path}:{_line(root, problem['loc'])}: {where}: expected {expected}"
        ) from None


def _line(node: yaml.Node | None, place: tuple[Any, ...]) -> int:
    """The line of a value, or of the nearest one around it."""
    line = node.start_mark.line + 1 if node is not None else 1
    for step in place:
        if isinstance(node, yaml.MappingNode):
            node = next((value for key, value in node.value if key.value == str(step)), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            node = node.value[step] if step < len(node.value) else None
        else:
            node = None
        if node is None:
            return line
        line = node.start_mark.line + 1
    return line


def _picture(path: Path, name: str) -> bytes:
    try:
        data = read_bytes(path.parent / name, MAX_DATA_BYTES)
    except (OSError, ValueError) as error:
        raise ConfigError(f"demonstration {path}: picture {name}: cannot be read ({error})") from None
    try:
        decode(data)
    except Exception as error:  # Pillow raises many kinds
        raise ConfigError(f"demonstration {path}: picture {name}: no PNG or JPEG ({error})") from None
    return data
