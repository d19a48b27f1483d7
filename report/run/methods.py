"""The methods paragraph: what a log says of how it came about, in plain English."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluation.log.episodes import LoggedEpisode
from evaluation.log.run import RunLog
from llm_control.choices import ArenaChoices
from report.run.planned import plan_sentence
from report.run.policies import acting_sentences

_TOLD = ("levels", "folder", "icl", "trials", "seed", "max_scripts", "strict", "prompt", "animal_ai")
"""Options of the task that have words of their own."""


@dataclass(slots=True)
class RunFacts:
    """What is only known after all episodes of a log were read."""

    answered_by: set[str] = field(default_factory=set)
    temperatures: set[float | None] = field(default_factory=set)
    versions: dict[str, set[str]] = field(default_factory=dict)
    without_verdict: int = 0
    limited: int = 0
    replayed: int = 0
    inexact: int = 0

    def add(self, episode: LoggedEpisode) -> None:
        """Take an episode into account."""
        if episode.answered_by:
            self.answered_by.add(episode.answered_by)
        self.temperatures |= episode.temperatures
        self.without_verdict += episode.result.passed is None
        self.limited += episode.limit is not None
        for name, version in (episode.replay.get("versions") or {}).items():
            self.versions.setdefault(name, set()).add(version)


def run_paragraph(log: RunLog, facts: RunFacts, levels: Sequence[int]) -> str:
    """How one run was done."""
    return " ".join(
        [
            _what(log, facts, levels),
            _arena(log, facts),
            *([acting_sentences(log)] if log.choices.acts else [_protocol(log), _settings(log, facts)]),
            _end(log, facts),
            plan_sentence(log),
        ]
    ).strip()


def _what(log: RunLog, facts: RunFacts, levels: Sequence[int]) -> str:
    answered = facts.answered_by - {log.model, log.model.partition("/")[2]}
    told = f" (which answered as {', '.join(sorted(answered))})" if answered else ""
    name = log.agent if log.agent == log.model else f"{log.agent}, that is {log.model}"
    where = (
        "task files of a folder of the user's" if log.arguments.get("folder") else "arena-llm's own battery"
    )
    return (
        f"{name}{told} was evaluated on {_count(len(log.task_ids), 'task')} of {_levels(levels)} from "
        f"{where}, {_count(log.trials, 'trial')} each, with seed {log.arguments.get('seed', 0)}."
    )


def _arena(log: RunLog, facts: RunFacts) -> str:
    version = log.arguments.get("animal_ai", "3.1.3")
    known = {name: ", ".join(sorted(values)) for name, values in facts.versions.items()}
    ran = "; ".join(
        f"{label} {known[key]}"
        for key, label in (("bullet", "Bullet API"), ("python", "Python"), ("machine", "on"))
        if key in known
    )
    return (
        f"The arena was arena-llm {known.get('arena-llm', 'of unknown version')}, a re-creation of Animal-AI "
        f"{version} on PyBullet" + (f" ({ran})." if ran else ".")
    )


def _protocol(log: RunLog) -> str:
    protocol = log.choices
    groups = protocol.initial_idle_steps
    pictures = max(len(groups) - 1, 1)
    syntax = (
        "Only the strict script syntax was taken"
        if protocol.strict
        else "Obvious slips of syntax were mended and logged"
    )
    shown = "A demonstration episode preceded each conversation. " if protocol.demonstration else ""
    most = "any number of" if protocol.max_scripts is None else f"at most {protocol.max_scripts}"
    return (
        f"{shown}{_together(log)}An episode began with {_count(sum(groups), 'idle step')} and "
        f"{_count(pictures, 'picture')}; after each reply, a script of Think, Go and Turn commands, the "
        f"model was shown one more picture ({protocol.image_size} x {protocol.image_size} pixels, first "
        "person, drawn by arena-llm's own renderer) and told its health and reward. "
        f"{sent_sentence(protocol)}It had {most} replies; then the clock ran down. {syntax}."
    )


def _together(log: RunLog) -> str:
    if not log.together:
        return ""
    order = "shuffled by seed and trial" if log.choices.order == "shuffled" else "as listed"
    return (
        f"Each trial was one conversation over all tasks, one after another ({order}; the order is in "
        "episodes.csv). Tokens, price and time of its episodes are those of their own requests, as far as "
        "the log has them. "
    )


def sent_sentence(protocol: ArenaChoices) -> str:
    """What was sent other than all true pictures, in words; empty where nothing was."""
    parts = [
        "instead of pictures, what was in view was told in words" if protocol.observation == "text" else "",
        "what was in view was also told in words" if protocol.observation == "both" else "",
        "as a control, all pictures were black" if protocol.vision == "blind" else "",
        "as a control, pictures were of other arenas" if protocol.vision == "shuffled" else "",
        "pictures were grey" if protocol.grayscale else "",
        f"blurred by {protocol.blur_px:g} pixels" if protocol.blur_px else "",
        f"reduced to {protocol.resolution} pixels a side" if protocol.resolution is not None else "",
        f"of all pictures so far, only some were sent (images = {protocol.images})"
        if protocol.images != "all"
        else "",
        f"only the last {protocol.memory_turns} turns were sent" if protocol.memory_turns is not None else "",
    ]
    told = "; ".join(filter(None, parts))
    return f"Different from this, {told}. " if told else ""


def _settings(log: RunLog, facts: RunFacts) -> str:
    sent = ", ".join("unset" if t is None else f"{t:g}" for t in sorted(facts.temperatures, key=str))
    further = {k: v for k, v in log.arguments.items() if k not in _TOLD and v not in (None, False, "")}
    options = f" Further options: {', '.join(f'{k}={v}' for k, v in further.items())}." if further else ""
    own = "The system prompt was the user's own. " if log.arguments.get("prompt") else ""
    prompt = log.system_prompt_sha256()
    hashed = f"The SHA-256 of the system prompt as sent is {prompt}. " if prompt else ""
    return f"{own}{hashed}Temperature: {sent or 'none sent'}.{options}"


def _end(log: RunLog, facts: RunFacts) -> str:
    inspect = log.header.eval.packages.get("inspect_ai", "of unknown version")
    state = "completely" if log.complete else f"in part ({log.finished} of {log.planned} trials have a score)"
    missing = f" {_count(facts.without_verdict, 'trial')} had no verdict." if facts.without_verdict else ""
    if facts.limited:
        missing += (
            f" Of these, {facts.limited} were ended by a limit of tokens, cost, time or messages: they "
            "count neither as passed nor as failed."
        )
    return (
        f"The run was carried out {state} by Inspect AI {inspect} on {str(log.header.eval.created)[:10]} "
        f"(log {log.path.name}).{missing}"
    )


def analysis_paragraph(compared: bool, renderer: str | None, runs: Sequence[RunFacts]) -> str:
    """How the numbers and pictures of the report were made."""
    replayed, inexact = sum(f.replayed for f in runs), sum(f.inexact for f in runs)
    agents = (
        " Agents were compared on the tasks that both have verdicts for, by a permutation test over groups "
        "of variants (two-sided, 9999 permutations or all), with Holm's correction."
        if compared
        else ""
    )
    pictures = (
        " Pictures in this report are those that the log has as sent; true views beside them were drawn "
        f"again from the recordings ({renderer})."
        if renderer
        else ""
    )
    exact = (
        f"; {inexact} of these differ from what was logged and are marked"
        if inexact
        else ", all of them exactly"
    )
    return (
        "A trial was passed when its total reward reached the task's pass mark. Trials without a verdict "
        "(failed, not run, ended by a limit, unmarked) count neither as passed nor as failed. Pass rates "
        "have 95 % intervals over tasks: Wilson's, with the effective number of trials where trials share a "
        "task or tasks are "
        f"variants of one (Dean and Pagano 2015).{agents} Reasons of failure were computed by replaying "
        f"{_count(replayed, 'episode')} from the recorded actions{exact if replayed else ''}.{pictures}"
    )


def _levels(levels: Sequence[int]) -> str:
    numbers = [str(level) for level in levels if level]
    if not numbers:
        return "no level"
    return f"level {numbers[0]}" if len(numbers) == 1 else f"levels {', '.join(numbers)}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
