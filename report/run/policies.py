"""What the report says of a run in which a learned policy acted at every step."""

from collections.abc import Mapping
from typing import Any

from evaluation.log.run import RunLog
from llm_control.agents.players import STEPS_PER_TURN

_PICTURES = ("camera", "depth", "segmentation")
_OF = {
    "resolution": _PICTURES,
    "renderer": _PICTURES,
    "grayscale": ("camera",),
    "rays_per_side": ("rays",),
    "ray_max_degrees": ("rays",),
}
"""Options that say nothing unless there is one of these sensors."""


def acting_sentences(log: RunLog) -> str:
    """How a policy played, and what its file says of it."""
    idle = sum(log.choices.initial_idle_steps)
    begins = f"after {idle} idle steps" if idle else "with the first step of an episode"
    how = (
        "drew its actions, by a seed of each episode"
        if log.choices.sample_actions
        else "took the best action"
    )
    return (
        f"The agent was a learned policy. It began {begins}, acted at every step by sensors of its own, "
        f"without scripts, pictures or words of ours, and {how}. In this report each {STEPS_PER_TURN} steps "
        "are a turn; where reasons of failure speak of scripts and pictures, these are turns and what was "
        f"ahead when they began. {_file(log.player)}"
    )


def _file(policy: Mapping[str, Any]) -> str:
    if not policy:
        return "Which file it was, each sample of the log says."
    environment = dict(policy.get("environment") or {})
    seen = environment.pop("observation", "unknown")
    sensors = seen if isinstance(seen, str) else ", ".join(seen)
    says = {name for name in environment if any(sensor in sensors for sensor in _OF.get(name, ("",)))}
    environment = {name: value for name, value in environment.items() if name in says}
    options = ", ".join(f"{name} = {value}" for name, value in environment.items())
    steps = policy.get("steps")
    trained = [
        f"on {policy['trained_on']}" if policy.get("trained_on") else "",
        f"for {steps:,} actions" if steps is not None else "",
        f"with seed {policy['seed']}" if policy.get("seed") is not None else "",
    ]
    told = " ".join(filter(None, trained))
    return (
        f"Its file is {policy.get('file')} (SHA-256 {policy.get('sha256')}), {policy.get('algorithm')}"
        f"{f', trained {told}' if told else ''}. It observes: {sensors} ({options})."
    )
