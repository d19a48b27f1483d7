"""What an episode's page shows of the agent that led the model: its plan, memory at the end, or programs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from report.panels import Panel


def agent_panels(agent: Mapping[str, Any]) -> Iterator[Panel]:
    """The panels for what a log has of an agent (`evaluation.agents.calls.Calls.log`)."""
    if plan := agent.get("plan"):
        rows = [(str(step["after"] + 1), step["step"], step["result"] or "") for step in plan]
        yield Panel("The agent's plan", _table(("from turn", "step", "result"), rows))
    if memory := agent.get("memory"):
        stated = [
            (each["id"], each["statement"], each["status"], "; ".join(each["evidence"]))
            for each in memory["hypotheses"]
        ]
        measured = [(each["id"], each["statement"], "measured", "") for each in memory["measurements"]]
        header = ("", "entry", "status", "evidence")
        yield Panel("The agent's memory at the end", _table(header, [*stated, *measured]))
    if programs := agent.get("programs"):
        written = [
            (str(each["experiments"]), *(_preformatted(each[name]) for name in ("program", "result")))
            for each in programs
        ]
        yield Panel(
            "The agent's programs", _table(("after experiments", "program", "what came of it"), written)
        )


def _preformatted(text: str) -> Markup:
    return Markup("<pre>{}</pre>").format(text)


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Markup:
    lines = [("th", header), *(("td", row) for row in rows)]
    cells = (
        Markup("").join(Markup("<{0}>{1}</{0}>").format(Markup(tag), escape(cell)) for cell in row)
        for tag, row in lines
    )
    return Markup("<table>{}</table>").format(Markup("").join(Markup("<tr>{}</tr>").format(c) for c in cells))
