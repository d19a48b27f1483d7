"""The command `arena-llm estimate`."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from arena_llm.console import line_console
from arena_llm.options import ModelName, Preset, Prices, Prompt, Testbed
from arena_llm.suite_options import SuiteOption
from evaluation.suites import DEFAULT


def estimate_command(
    model: ModelName,
    protocol: Preset = None,
    suite: SuiteOption = DEFAULT,
    testbed: Testbed = None,
    prompt: Prompt = None,
    turns: Annotated[int | None, typer.Option(min=1, help="Replies per episode. Default: the limit.")] = None,
    prices: Prices = None,
    pass_rate: Annotated[float, typer.Option(min=0, max=1, help="Expected pass rate.")] = 0.5,
    trials_alike: Annotated[float, typer.Option(min=0, max=1, help="Expected correlation of trials.")] = 0.5,
    agents_alike: Annotated[float, typer.Option(min=0, max=1, help="Expected correlation of agents.")] = 0.5,
    **choices: Any,
) -> None:
    """Predict the calls, images, tokens and price of a run, and the difference that it could detect.

    Makes no API calls and needs no key.
    """
    from evaluation.estimate import estimate
    from evaluation.generation.image_tokens import NOTE
    from evaluation.generation.prices import price_note
    from evaluation.power import planned_study
    from evaluation.request import EvalRequest
    from evaluation.suites import get_suite

    request = EvalRequest(get_suite(suite), model, testbed, prompt, protocol, choices)
    found = estimate(request, prices, turns)
    ids = [task.id for task in request.tasks]
    trials = request.effective.choices.trials
    study = planned_study(ids, trials, rate=pass_rate, alike=trials_alike, shared=agents_alike)
    table = Table("at most", f"with {found.turns} replies per episode")
    for name in ("episodes", "calls", "images", "image_tokens", "input_tokens", "output_tokens"):
        value = getattr(found, name)
        label = "tokens per image" if name == "image_tokens" else name.replace("_", " ")
        table.add_row(label, "unknown" if value is None else f"{value:,}")
    table.add_row("price", "unknown" if found.cost is None else f"${found.cost:,.2f}")
    Console().print(table)
    notes = ["Without caching, failed requests and unlimited reasoning.", price_note(found.model, prices)]
    if found.image_tokens:
        notes.append(NOTE)
    for note in (*notes, study.sentences()):
        line_console().print(note)
