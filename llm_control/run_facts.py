"""Facts of a run for its report, in words."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from llm_control.outcomes import Played

if TYPE_CHECKING:
    from llm_control.evaluate import Request


def run_facts(log: Any, played: Played, request: "Request", model: str, prompts: str) -> dict[str, str]:
    """Model, options, prompts and software of a run; `prompts` is the hash of its prompts."""
    from arena.recording import software_versions

    given = request.effective()
    options = {"protocol": given.preset.name if given.preset else None, "folder": request.folder}
    arguments = {**{k: v for k, v in options.items() if v is not None}, **given.changed()}
    return {
        "model": model,
        "answered by": ", ".join(sorted(played.answered)) or "nothing",
        "Animal-AI": given.protocol.animal_ai,
        "options": ", ".join(f"{key}={value}" for key, value in arguments.items()),
        **(_policy(log) or _asked(prompts, played)),
        "log": Path(local(log.location)).name,
        **software_versions(),
    }


def _asked(prompts: str, played: Played) -> dict[str, str]:
    return {"prompts (sha256)": prompts, "temperature sent": _temperatures(played.temperatures)}


def _policy(log: Any) -> dict[str, str]:
    """What the log says of a learned policy; empty where another model was evaluated."""
    kept: dict[str, Any] = (log.eval.metadata or {}).get("policy") or {}
    if not kept:
        return {}
    told = {"trained on": kept.get("trained_on"), "steps": kept.get("steps"), "seed": kept.get("seed")}
    environment = ", ".join(f"{name}={value}" for name, value in kept["environment"].items())
    return {
        "policy (sha256)": kept["sha256"],
        "policy's algorithm": kept["algorithm"],
        "policy's environment": environment,
        "policy's training": ", ".join(f"{k}: {v}" for k, v in told.items() if v not in (None, ""))
        or "unknown",
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
