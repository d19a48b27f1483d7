"""The arena's part in a report: replays with path, health, reasons of failure; children and competition."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from arena import ArenaSpec, Event, Recording, Scene
from arena.errors import ArenaError
from arena.recording import software_versions
from evaluation.capabilities import Panel, remarks_of
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.run import RunLog
from evaluation.statistics import level_of_id
from human_data.baselines import children_by_task
from llm_control.choices import ArenaChoices
from llm_control.environment import STEPS_PER_TURN
from llm_control.logged import logged_recording, logged_specs
from llm_control.paper.differences import stated
from render import DRAWN_BY, Renderer
from report.arena import replay as replays
from report.arena.failures import Case, Failure, Replies, signs
from report.comparison.differences import NOT_COMPARABLE
from report.comparison.levels import level_name
from report.comparison.linking import rates_beside_others
from report.comparison.runs import CLOCKED, THEIRS, Run, has_published_tasks, played_run
from report.files import part
from report.panels import EpisodeFindings, PictureBook, Row, SuiteReport
from report.tables import GroupRates, count, counted_table, percent

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
    if log.choices.acts:
        return f"{_arena(log, versions)} {_policy(log)}"
    # In what the run differs from the paper, as `eval --show` prints it.
    paper = remarks_of(log.suite, log.choices, log.prompts(), log.arguments.get("protocol"))
    return " ".join((_arena(log, versions), _scripts(log), *paper))


def _arena(log: RunLog, versions: Mapping[str, set[str]]) -> str:
    known = {name: ", ".join(sorted(values)) for name, values in versions.items()}
    ran = "; ".join(
        f"{label} {known[key]}"
        for key, label in (("physics", "moved by"), ("python", "Python"), ("machine", "on"))
        if key in known
    )
    tasks = "files of a folder that the user named" if log.folder else "the battery of arena-llm"
    if has_published_tasks(log.digests, log.task_ids):
        tasks = "the original's files, by their SHA-256"
    return (
        f"The tasks are {tasks}. "
        f"The arena was arena-llm {known.get('arena-llm', 'of unknown version')}, a re-creation of Animal-AI "
        f"{log.choices.animal_ai} without Unity" + (f" ({ran})." if ran else ".")
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


SIZE = 512
"""Width and height of the views that are drawn, before they are made smaller."""

REFUSALS = ("content_filter", "refusal")
"""Why a reply ended, in Inspect's words, if a provider's filter stopped it."""


ARENA_COLUMNS = {
    "episodes": {
        "failure": "arena: why the episode was failed, the first reason that holds",
        "signs": "arena: all reasons that hold",
        "replay": "arena: exact, differs, or none",
        "page": "page of the episode in the report's folder",
    },
    "turns": {
        "steps": "arena: steps that the reply took",
        "health": "arena: health after the turn, 0 to 100",
        "reward": "arena: reward of the turn",
        "total_reward": "arena: total reward so far",
        "yaw": "arena: heading after the turn in degrees, clockwise from above, 0 along +z",
        "x": "arena: position after the turn in metres, to the right",
        "y": "arena: height after the turn in metres",
        "z": "arena: position after the turn in metres, forward",
        "events": "arena: what happened, such as a ball that was eaten",
    },
}
"""Meanings of the columns that the arena adds to tables of episodes and turns, and of each episode's page."""


class ArenaReport(SuiteReport):
    """Reports of logs of the arena; with `frames`, views that are not in the log are drawn."""

    def __init__(self, logs: Sequence[RunLog], frames: bool) -> None:
        super().__init__(logs[0].suite)
        self._renderer = Renderer(SIZE, SIZE) if frames else None
        self._logs = {log.agent: log for log in logs}
        self._same_tasks = all(has_published_tasks(log.digests, log.task_ids) for log in logs)
        self._other_clock = {log.agent for log in logs if log.choices.animal_ai != THEIRS}
        self._specs: dict[str, ArenaSpec] = {}
        self._choices = ArenaChoices()
        self._plans: dict[str, Markup] = {}

    def group_name(self, group: int | str) -> str:
        """What a level tests."""
        return level_name(group)

    def begin(self, log: RunLog) -> None:
        """Read the arenas of a log."""
        self._specs, self._choices = logged_specs(log), log.choices

    def examine(self, episode: LoggedEpisode, book: PictureBook) -> EpisodeFindings:
        """Replay an episode and judge why it failed; its true views go to `book`."""
        recording, spec = logged_recording(episode), self._specs.get(episode.result.task_id)
        trace, problem = None, None
        failures: tuple[Failure, ...] = ()
        if recording is not None and spec is None:
            problem = "Its arena is neither in the log nor among the task files."
        elif recording is not None and spec is not None:
            try:
                trace = self._replay(spec, recording, episode, book)
                problem = difference(trace, recording, episode)
                failures = _failures(trace, spec, episode)
            except ArenaError as error:
                problem = str(error)
        return EpisodeFindings(
            panels=self._panels(trace, failures, episode.result.task_id),
            columns={
                "failure": str(failures[0]) if failures else None,
                "signs": "; ".join(failures),
                "replay": "none" if trace is None else "differs" if problem else "exact",
            },
            warnings=[*filter(None, [problem]), *_version_warnings(recording if trace else None)],
            seen=replays.seen_sentences(trace),
            results={int(turn["turn"]): _result(turn) for turn in episode.turns},
            provenance=_provenance(recording, trace is not None and problem is None),
        )

    def _replay(
        self, spec: ArenaSpec, recording: Recording, episode: LoggedEpisode, book: PictureBook
    ) -> replays.Trace:
        def look(scene: Scene, turn: int | None) -> None:
            kind, renderer = replays.true_view(turn, episode, self._choices), self._renderer
            if kind is not None and renderer is not None:
                book.add(turn, lambda: renderer.frame(scene), kind)

        steps = [int(turn["steps"]) for turn in episode.turns]
        trace = replays.replay(spec, recording, self._choices, steps, look)
        trace.looks = replays.as_sent(trace.looks, episode.talk, self._choices)
        if recording.task_id not in self._plans:
            self._plans[recording.task_id] = replays.plan_svg(trace.layout, f"Task {recording.task_id}")
        return trace

    def _panels(self, trace: replays.Trace | None, failures: Sequence[Failure], task_id: str) -> list[Panel]:
        panels = []
        if failures:
            why = part("arena/failure.html.j2", failure=failures[0], more=failures[1:])
            panels.append(Panel("Why it failed", why))
        if trace is not None:
            acts, events = self._choices.acts, replays.event_lines(trace.events)
            path, curve = replays.path_svg(trace, task_id), replays.health_curve(trace)
            panels.append(Panel("Path", part("arena/path.html.j2", plan=path, acts=acts)))
            health = part("arena/health.html.j2", curve=curve, events=events, acts=acts)
            panels.append(Panel("Health", health))
        return panels

    def turn_columns(self, turn: Mapping[str, Any]) -> dict[str, Any]:
        """State after a turn: metres, degrees, health 0 to 100; and its events."""
        return {
            **{name: turn[name] for name in ("steps", "health", "reward", "total_reward", "yaw")},
            **dict(zip("xyz", turn["position"], strict=True)),
            "events": "; ".join(f"{event['kind']} ({event['name']})" for event in turn["events"]),
        }

    def rates(self, results: pd.DataFrame) -> GroupRates:
        """Runs by level beside children, competition and published agents and models."""
        return rates_beside_others([self._run(part) for _, part in results.groupby("agent", sort=False)])

    def _run(self, results: pd.DataFrame) -> Run:
        """The results of a log as they are compared."""
        log = self._logs[str(results["agent"].iloc[0])]
        return played_run(
            results,
            False,
            log.choices.animal_ai,
            partial=log.partial,
            digests=log.digests,
        )

    def references(self) -> dict[str, dict[str, str]]:
        """The share of children who passed each task; nothing if the tasks are not theirs.

        Level 9 is marked unless all runs had the children's scoring clock.
        """
        if not self._same_tasks:
            return {}
        shares = children_by_task().set_index("task_id")["pass_rate"]
        marks = {CLOCKED: f" ({NOT_COMPARABLE})"} if self._other_clock else {}
        return {
            "Children": {
                str(task): f"{percent(share)} %{marks.get(level_of_id(str(task)), '')}"
                for task, share in shares.items()
            }
        }

    def task_panels(self, task_id: str) -> list[Panel]:
        """The arena at the start of the first trial, if one could be replayed."""
        if task_id not in self._plans:
            return []
        return [Panel("Arena", part("arena/plan.html.j2", plan=self._plans[task_id]))]

    def run_panels(self, rows: Sequence[Row], agents: Mapping[str, str]) -> list[Panel]:
        """Reasons of failure by agent, with their definitions."""
        table = counted_table("Failure", "failure", list(Failure), rows, agents)
        unreplayed = sum(row["passed"] is False and row["failure"] is None for row in rows)
        values = {"table": table, "unreplayed": unreplayed, "failures": list(Failure)}
        return [Panel("Why episodes were failed", part("arena/failures.html.j2", **values))]

    def facts(self, log: RunLog) -> dict[str, str]:
        """The version of Animal-AI, which comparisons need."""
        return {"Animal-AI": log.choices.animal_ai}

    def methods(self, log: RunLog, versions: Mapping[str, set[str]]) -> str:
        """The arena, how it was presented to the model, and what a reply could do."""
        return methods_sentences(log, versions)

    def analysis(self, rows: Sequence[Row]) -> str:
        """How reasons of failure and pictures came about."""
        drawn = DRAWN_BY if self._renderer else None
        return analysis_sentences(rows, drawn)


def difference(trace: replays.Trace, recording: Recording, episode: LoggedEpisode) -> str | None:
    """A sentence on what differs between a replay and the log; None if nothing does."""
    found = trace.differs_from(recording)
    if found:
        return (
            f"The replay differs from the log ({found}): path, pictures and reason of failure are not exact."
        )
    ends = [trace.moments[last].position for _, last in trace.turns]
    if any(tuple(turn["position"]) != end for turn, end in zip(episode.turns, ends, strict=True)):
        return "The replay ends as logged, but turns begin elsewhere: pictures may belong to other turns."
    return None


def _failures(trace: replays.Trace, spec: ArenaSpec, episode: LoggedEpisode) -> tuple[Failure, ...]:
    """All kinds of failure that a failed episode shows; empty for others."""
    if episode.result.passed is not False:
        return ()
    turns, stops = episode.turns, episode.stops
    empty = sum(not str(turn["reply"]).strip() for turn in turns)
    refused = max(sum(stops[reason] for reason in REFUSALS), empty)
    replies = Replies(len(turns), sum(turn["error"] is not None for turn in turns), refused)
    return signs(Case(trace, replies, spec.pass_mark, spec.time_limit))


def _result(turn: Mapping[str, Any]) -> str:
    x, _, z = turn["position"]
    events = ", ".join(replays.event_lines(Event(**event) for event in turn["events"]))
    return (
        f"{turn['steps']} steps; health {turn['health']:.1f}; reward {turn['reward']:+.3f}, in total "
        f"{turn['total_reward']:+.3f}; at x {x:.1f}, z {z:.1f}, heading {turn['yaw']:.0f}°."
        + (f" Events: {events}." if events else "")
        + (f" The episode ended: {turn['outcome']}." if turn["done"] else "")
    )


def _version_warnings(recording: Recording | None) -> list[str]:
    now, then = software_versions(), recording.versions if recording else {}
    changed = [f"{key} {then[key]}, now {now.get(key, 'none')}" for key in then if then[key] != now.get(key)]
    return [f"Recorded with other versions than it is replayed with ({'; '.join(changed)})."] * bool(changed)


def _provenance(recording: Recording | None, exact: bool) -> str:
    if recording is None:
        return "There is no recording of this episode."
    versions = ", ".join(f"{name} {version}" for name, version in recording.versions.items())
    found = "Replayed exactly" if exact else "Not replayed exactly"
    arena = recording.spec_sha256[:12]
    return f"{found}. Seed {recording.seed}, trial {recording.trial + 1}, arena {arena}; {versions}."
