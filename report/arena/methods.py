"""What the methods paragraph says of the arena, of how it was presented, and of learned policies."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.capabilities import remarks_of
from evaluation.log.run import RunLog
from llm_control.choices import ArenaChoices
from llm_control.paper.differences import stated
from llm_control.players import STEPS_PER_TURN
from report.comparison.runs import has_published_tasks
from report.formats import count
from report.panels import Row

_SCRIPTS = "a script of Think, Go and Turn commands"
_MOVES = "one of the words Forward, Backward, Left and Right, with or without Think"
_PICTURES = ("camera", "depth", "segmentation")
_SENSORS = {
    "resolution": _PICTURES,
    "renderer": _PICTURES,
    "grayscale": ("camera",),
    "rays_per_side": ("rays",),
    "ray_max_degrees": ("rays",),
}
"""Options of a policy's environment that matter only with one of these sensors."""


def methods_sentences(log: RunLog, versions: Mapping[str, set[str]]) -> str:
    """The tasks, the arena, and how a model or a policy played it."""
    return f"{_arena(log, versions)} {_policy(log) if log.choices.acts else f'{_scripts(log)} {_paper(log)}'}"


def _paper(log: RunLog) -> str:
    """In what the run differs from the paper, as `eval --show` prints it."""
    return " ".join(remarks_of(log.suite, log.choices, log.prompts(), log.arguments.get("protocol")))


def _arena(log: RunLog, versions: Mapping[str, set[str]]) -> str:
    known = {name: ", ".join(sorted(values)) for name, values in versions.items()}
    ran = "; ".join(
        f"{label} {known[key]}"
        for key, label in (("bullet", "Bullet API"), ("python", "Python"), ("machine", "on"))
        if key in known
    )
    tasks = "files of a folder that the user named" if log.folder else "the battery of arena-llm"
    if has_published_tasks(log.digests, log.task_ids):
        tasks = "the original's files, by their SHA-256"
    return (
        f"The tasks are {tasks}. "
        f"The arena was arena-llm {known.get('arena-llm', 'of unknown version')}, a re-creation of Animal-AI "
        f"{log.choices.animal_ai} on PyBullet" + (f" ({ran})." if ran else ".")
    )


def _scripts(log: RunLog) -> str:
    choices = log.choices
    groups = choices.initial_idle_steps
    syntax = (
        "Only the strict script syntax was accepted"
        if choices.strict
        else "Obvious slips of syntax were repaired and logged"
    )
    moves = choices.commands == "moves"
    shown = "A demonstration episode preceded each conversation. " if choices.demonstration else ""
    most = "any number of" if choices.max_scripts is None else f"at most {choices.max_scripts}"
    return (
        f"{shown}{_together(log)}An episode began with {count(sum(groups), 'idle step')} and "
        f"{count(max(len(groups) - 1, 1), 'picture')}; after each reply, {_MOVES if moves else _SCRIPTS}, "
        f"the model was sent one more picture ({choices.image_size + 2 * choices.image_gutter} x "
        f"{choices.image_size} pixels, {choices.image_format.upper()}, first person, drawn by arena-llm's "
        f"own renderer) with: {', '.join(stated(log.prompts())) or 'nothing'}. "
        f"{_different(choices)}It had {most} replies; then the clock ran down. {_loop(choices)}{syntax}."
    )


def _loop(choices: ArenaChoices) -> str:
    if choices.loop_turns is None:
        return ""
    then = "was repeated until the end" if choices.after_loop == "repeat" else "was not repeated further"
    return f"A loop of {choices.loop_turns} turns ended its part and {then}. "


def _together(log: RunLog) -> str:
    if not log.together:
        return ""
    order = "shuffled by seed and trial" if log.choices.order == "shuffled" else "as listed"
    return (
        f"Each trial was one conversation over all tasks, one after another ({order}; the order is in "
        "episodes.csv). Tokens, price and time of its episodes are those of their own requests, if the log "
        "has them. "
    )


def _different(choices: ArenaChoices) -> str:
    """What was sent in place of all true pictures, in words; empty if nothing was."""
    parts = [
        "in place of pictures, the view was described in words" if choices.observation == "text" else "",
        "the view was described in words too" if choices.observation == "both" else "",
        "as a control, all pictures were black" if choices.vision == "blind" else "",
        "as a control, pictures were of other arenas" if choices.vision == "shuffled" else "",
        "pictures were grey" if choices.grayscale else "",
        f"blurred by {choices.blur_px:g} pixels" if choices.blur_px else "",
        f"reduced to {choices.resolution} pixels a side" if choices.resolution is not None else "",
        f"of all pictures so far, only some were sent (images = {choices.images})"
        if choices.images != "all"
        else "",
        f"only the last {choices.memory_turns} turns were sent" if choices.memory_turns is not None else "",
        f"of the last turns, only those were sent that have at most {choices.memory_characters} characters "
        "together"
        if choices.memory_characters is not None
        else "",
    ]
    found = "; ".join(filter(None, parts))
    return f"In contrast to this, {found}. " if found else ""


def _policy(log: RunLog) -> str:
    """How an agent that acts at every step played, and what a policy's file says of it."""
    idle = sum(log.choices.initial_idle_steps)
    begins = f"after {idle} idle steps" if idle else "with the first step of an episode"
    drew = "drew its actions, with a seed for each episode"
    how = drew if log.choices.sample_actions or not log.player else "took the best action"
    agent = "a learned policy" if log.player else "a program"
    return (
        f"The agent was {agent}. It began {begins}, acted at every step by sensors of its own, "
        f"without scripts, pictures or words from us, and {how}. In this report {STEPS_PER_TURN} steps "
        "make a turn; where reasons of failure mention scripts and pictures, these are turns and what was "
        f"ahead when they began. {_policy_file(log.player)}"
    )


def _policy_file(policy: Mapping[str, Any]) -> str:
    if not policy:
        return ""
    environment = dict(policy.get("environment") or {})
    seen = environment.pop("observation", "unknown")
    sensors = seen if isinstance(seen, str) else ", ".join(seen)
    options = ", ".join(
        f"{name} = {value}"
        for name, value in environment.items()
        if any(sensor in sensors for sensor in _SENSORS.get(name, ("",)))
    )
    steps = policy.get("steps")
    trained = [
        f"on {policy['trained_on']}" if policy.get("trained_on") else "",
        f"for {steps:,} actions" if steps is not None else "",
        f"with seed {policy['seed']}" if policy.get("seed") is not None else "",
    ]
    training = " ".join(filter(None, trained))
    return (
        f"Its file is {policy.get('file')} (SHA-256 {policy.get('sha256')}), {policy.get('algorithm')}"
        f"{f', trained {training}' if training else ''}. It observes: {sensors} ({options})."
    )


def analysis_sentences(rows: Sequence[Row], renderer: str | None) -> str:
    """How reasons of failure and pictures of the report came about."""
    replayed = sum(row["replay"] != "none" for row in rows)
    inexact = sum(row["replay"] == "differs" for row in rows)
    pictures = (
        " Pictures in this report are those that the log has as sent; true views beside them were drawn "
        f"again from the recordings ({renderer})."
        if renderer
        else ""
    )
    exact = f"; {inexact} of these differ from the log and are marked" if inexact else ", all of them exactly"
    return (
        "A trial was passed if its total reward reached the task's pass mark. Reasons of failure were "
        f"computed by replaying {count(replayed, 'episode')} from the recorded actions"
        f"{exact if replayed else ''}.{pictures}"
    )
