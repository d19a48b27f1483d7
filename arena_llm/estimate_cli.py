"""The command `arena-llm estimate`."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from arena_llm.protocol_options import with_protocol_options


@with_protocol_options
def estimate_command(
    model: Annotated[str, typer.Option(help="gpt-*, claude-*, gemini-*, or any provider/model.")],
    protocol: Annotated[str | None, typer.Option(help="A preset, or a file NAME.yaml.")] = None,
    testbed: Annotated[
        Path | None, typer.Option(help="Folder of task files; the shipped battery where left out.")
    ] = None,
    prompt: Annotated[Path | None, typer.Option(help="Text file that replaces the system prompt.")] = None,
    turns: Annotated[
        int | None, typer.Option(min=1, help="Replies per episode; the protocol's limit where left out.")
    ] = None,
    prices: Annotated[Path | None, typer.Option(help="YAML file of prices, over the shipped ones.")] = None,
    **choices: Any,
) -> None:
    """Predict calls, images, tokens and price of a run; nothing is asked and no key is needed."""
    from llm_control.estimate import estimate
    from llm_control.evaluate import Request

    found = estimate(Request(model, testbed, prompt, protocol, choices), prices, turns)
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
    console.print("Without caches, failed requests and unlimited reasoning.")
