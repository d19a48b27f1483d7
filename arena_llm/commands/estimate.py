"""Command `arena-llm estimate`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from arena_llm.console import line_console
from arena_llm.options import ModelName, Preset, Prices, Prompt, Prompts, SuiteOption, Testbed
from evaluation.generation.prices import price_note
from evaluation.request import EvalRequest
from evaluation.suites import DEFAULT, get_suite

if TYPE_CHECKING:
    from evaluation.estimate import Estimate


def estimate_command(
    model: ModelName,
    protocol: Preset = None,
    suite: SuiteOption = DEFAULT,
    testbed: Testbed = None,
    prompt: Prompt = None,
    prompts: Prompts = None,
    turns: Annotated[
        int | None, typer.Option(min=1, help="Expected replies per episode. Default: the limit.")
    ] = None,
    prices: Prices = None,
    pass_rate: Annotated[float, typer.Option(min=0, max=1, help="Expected pass rate.")] = 0.5,
    trials_alike: Annotated[float, typer.Option(min=0, max=1, help="Expected correlation of trials.")] = 0.5,
    agents_alike: Annotated[float, typer.Option(min=0, max=1, help="Expected correlation of agents.")] = 0.5,
    **choices: Any,
) -> None:
    """Predict calls, images, tokens and price of a run, and the detectable difference.

    Makes no API calls and needs no key.
    """
    request = EvalRequest(get_suite(suite), model, testbed, prompt, protocol, choices, prompts)
    request.refuse_early(key=False)

    from evaluation.estimate import NOTE, estimate, request_warnings
    from evaluation.paired import planned_study

    found = estimate(request, prices, turns)
    ids = [task.id for task in request.tasks]
    trials = request.effective.choices.trials
    study = planned_study(ids, trials, rate=pass_rate, alike=trials_alike, shared=agents_alike)
    console = line_console()
    if found is None:
        console.print(
            "No bound: nothing limits the replies of an episode; give --turns for an expected number, or "
            "limit the run, for example with --max-scripts or --max-cost."
        )
    else:
        _print(found)
        notes = [
            "Excludes failed requests and unlimited reasoning.",
            *request_warnings(found.model, request.effective.choices, found.most_images),
            price_note(found.model, prices),
            *[NOTE] * bool(found.image_tokens),
        ]
        for note in notes:
            console.print(note)
    console.print(study.sentences())


def _print(found: "Estimate") -> None:
    """Print the table: limits are "at most", estimates "about"."""
    heading = f"with {found.replies} replies per episode" + ("" if found.assumed else ", the maximum")
    table = Table("", heading)
    bound = "" if found.assumed else "at most "
    counted = {"episodes": "", "calls": bound, "images": bound, "image_tokens": "", "input_tokens": "about "}
    for name, words in {**counted, "output_tokens": "about "}.items():
        value = getattr(found, name)
        label = "tokens per image" if name == "image_tokens" else name.replace("_", " ")
        table.add_row(label, "unknown" if value is None else f"{words if value else ''}{value:,}")
    for label, cost in {"price": found.cost, "price if repeated input is cached": found.cached_cost}.items():
        table.add_row(label, "unknown" if cost is None else f"{'about ' if cost else ''}${cost:,.2f}")
    Console().print(table)
