"""The command `arena-llm estimate`."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from arena_llm.suite_options import SuiteOption
from evaluation.suites import DEFAULT


def estimate_command(
    model: Annotated[str, typer.Option(help="gpt-*, claude-*, gemini-*, or any provider/model.")],
    protocol: Annotated[str | None, typer.Option(help="A preset, or a file NAME.yaml.")] = None,
    suite: SuiteOption = DEFAULT,
    testbed: Annotated[
        Path | None, typer.Option(help="Folder of task files; the shipped battery where left out.")
    ] = None,
    prompt: Annotated[Path | None, typer.Option(help="Text file that replaces the system prompt.")] = None,
    turns: Annotated[
        int | None, typer.Option(min=1, help="Replies per episode; the protocol's limit where left out.")
    ] = None,
    prices: Annotated[Path | None, typer.Option(help="YAML file of prices, over the shipped ones.")] = None,
    pass_rate: Annotated[
        float, typer.Option(min=0, max=1, help="Share of episodes that you expect to be passed.")
    ] = 0.5,
    trials_alike: Annotated[
        float, typer.Option(min=0, max=1, help="Correlation to expect of one agent's trials on a task.")
    ] = 0.5,
    agents_alike: Annotated[
        float, typer.Option(min=0, max=1, help="Correlation to expect of what two agents find hard.")
    ] = 0.5,
    **choices: Any,
) -> None:
    """Predict calls, images, tokens and price of a run, and the difference that it could find.

    Nothing is asked and no key is needed.
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
    study = planned_study(
        ids, request.effective.choices.trials, rate=pass_rate, alike=trials_alike, shared=agents_alike
    )
    table = Table("at most", f"with {found.turns} replies per episode")
    for name in ("episodes", "calls", "images", "image_tokens", "input_tokens", "output_tokens"):
        value = getattr(found, name)
        table.add_row(
            "tokens per image" if name == "image_tokens" else name.replace("_", " "),
            "unknown" if value is None else f"{value:,}",
        )
    table.add_row("price", "unknown" if found.cost is None else f"${found.cost:,.2f}")
    console = Console()
    console.print(table)
    notes = ["Without caches, failed requests and unlimited reasoning.", price_note(found.model, prices)]
    if found.image_tokens:
        notes.append(NOTE)
    for note in (*notes, study.sentences()):
        console.print(note, soft_wrap=True, markup=False, highlight=False)
