"""Facts of a run for its report, in words."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from llm_control.outcomes import Played

if TYPE_CHECKING:
    from llm_control.evaluate import Request


def run_facts(log: Any, played: Played, request: "Request", model: str, prompts: str) -> dict[str, str]:
    """Model, options, prompts and software of a run; `prompts` is the hash of its prompts."""
    from arena.episode import software_versions

    given = request.effective()
    options = {"protocol": given.preset.name if given.preset else None, "folder": request.folder}
    arguments = {**{k: v for k, v in options.items() if v is not None}, **given.changed()}
    return {
        "model": model,
        "answered by": ", ".join(sorted(played.answered)) or "nothing",
        "Animal-AI": given.protocol.animal_ai,
        "options": ", ".join(f"{key}={value}" for key, value in arguments.items()),
        "prompts (sha256)": prompts,
        "temperature sent": _temperatures(played.temperatures),
        "log": Path(local(log.location)).name,
        **software_versions(),
    }


def _temperatures(sent: set[float | None]) -> str:
    """What was really sent: a model may refuse the parameter."""
    return (
        ", ".join("unset" if value is None else f"{value:g}" for value in sorted(sent, key=str))
        or "none sent"
    )


def local(location: str) -> str:
    """The path of a log from where Inspect says that it is."""
    return location.removeprefix("file://")
