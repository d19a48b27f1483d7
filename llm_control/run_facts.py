"""Facts of a run for its report, in words."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from llm_control.evaluate import Request


def run_facts(log: Any, request: "Request", model: str, prompts: str) -> dict[str, str]:
    """Model, options, prompts and software of a run; `prompts` is the hash of its prompts."""
    from arena.episode import software_versions

    answered = sorted({s.output.model for s in log.samples or [] if s.output and s.output.model})
    given = request.effective()
    options = {"protocol": given.preset.name if given.preset else None, "folder": request.folder}
    arguments = {**{k: v for k, v in options.items() if v is not None}, **given.changed()}
    return {
        "model": model,
        "answered by": ", ".join(answered) or "nothing",
        "options": ", ".join(f"{key}={value}" for key, value in arguments.items()),
        "prompts (sha256)": prompts,
        "temperature sent": _temperatures(log),
        "log": Path(local(log.location)).name,
        **software_versions(),
    }


def _temperatures(log: Any) -> str:
    """What was really sent: a model may refuse the parameter."""
    events = (event for sample in log.samples or [] for event in sample.events if event.event == "model")
    sent = {event.config.temperature for event in events}
    return (
        ", ".join("unset" if value is None else f"{value:g}" for value in sorted(sent, key=str))
        or "none sent"
    )


def local(location: str) -> str:
    """The path of a log from where Inspect says that it is."""
    return location.removeprefix("file://")
