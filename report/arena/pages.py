"""The arena's part in a report: replays with path, health, reasons of failure; children and competition."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from arena import ArenaSpec, Recording, Scene
from arena.errors import ArenaError
from arena.packages import data_of
from arena.recording import software_versions
from arena.science.families import Question, truth
from arena.science.words import seen
from evaluation.capabilities import Panel, episode_panels, remarks_of, run_panels
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.run import RunLog
from evaluation.statistics import level_of_id
from evaluation.suites import get_suite
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
from report.comparison.runs import CLOCKED, THEIRS, has_published_tasks, played_run
from report.files import part, prose
from report.panels import EpisodeFindings, PictureBook, Row, SuiteReport
from report.tables import GroupRates, counted_table, percent
from testbed.floor_plan import floor_plan
from testbed.tasks import motion_of

_PICTURES = ("camera", "depth", "segmentation")
_SENSORS = {
    "resolution": _PICTURES,
    "renderer": _PICTURES,
    "grayscale": ("camera",),
    "rays_per_side": ("rays",),
    "ray_max_degrees": ("rays",),
}
"""Options of a policy's environment that matter only with one of these sensors."""


def _policy(policy: Mapping[str, Any]) -> dict[str, str]:
    """Describe a policy's observations, and their options."""
    environment = dict(policy.get("environment") or {})
    seen = environment.pop("observation", "unknown")
    sensors = seen if isinstance(seen, str) else ", ".join(seen)
    options = ", ".join(
        f"{name} = {value}"
        for name, value in environment.items()
        if any(sensor in sensors for sensor in _SENSORS.get(name, ("",)))
    )
    return {"sensors": sensors, "options": options}


SIZE = 512
"""Width and height of the views that are drawn, before they are made smaller."""

REFUSALS = ("content_filter", "refusal")
"""Why a reply ended, in Inspect's words, if a provider's filter stopped it."""


ARENA_COLUMNS = data_of("report.arena", "columns.yaml")
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
        self._experiments: dict[str, list[Row]] = {}

    def group_name(self, group: int | str) -> str:
        """Name the skill that a level tests."""
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
            problem = "The arena is neither in the log nor among the task files."
        elif recording is not None and spec is not None:
            try:
                trace = self._replay(spec, recording, episode, book)
                problem = difference(trace, recording, episode)
                failures = _failures(trace, spec, episode)
            except ArenaError as error:
                problem = str(error)
        record = None
        if trace is not None and recording is not None and spec is not None and spec.question:
            record = _experimented(spec.question, recording, trace, episode)
            self._experiments.setdefault(episode.result.agent, []).append(record)
        return EpisodeFindings(
            panels=self._panels(trace, failures, episode.result.task_id, record),
            columns={
                "failure": str(failures[0]) if failures else None,
                "signs": "; ".join(failures),
                "replay": "none" if trace is None else "differs" if problem else "exact",
            },
            warnings=[*filter(None, [problem]), *_version_warnings(recording if trace else None)],
            seen=replays.seen_sentences(trace),
            results={
                int(turn["turn"]): prose("arena/result.j2", turn=turn, lines=replays.event_lines)
                for turn in episode.turns
            },
            provenance=prose("arena/provenance.j2", recording=recording, exact=trace and not problem),
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
            plan = floor_plan(trace.layout, f"Task {recording.task_id}")
            self._plans[recording.task_id] = replays.markup(plan)
        return trace

    def _panels(
        self, trace: replays.Trace | None, failures: Sequence[Failure], task_id: str, record: Row | None
    ) -> list[Panel]:
        panels = []
        if failures:
            why = part("arena/failure.html.j2", failure=failures[0], more=failures[1:])
            panels.append(Panel("Why it failed", why))
        if trace is not None:
            acts, events = self._choices.acts, replays.event_lines(event.as_dict() for event in trace.events)
            path, curve = replays.path_svg(trace, task_id), replays.health_curve(trace)
            panels.append(Panel("Path", part("arena/path.html.j2", plan=path, acts=acts)))
            health = part("arena/health.html.j2", curve=curve, events=events, acts=acts)
            panels.append(Panel("Health", health))
        if record is not None:
            panels += episode_panels(get_suite("laboratory"), record)
        return panels

    def turn_columns(self, turn: Mapping[str, Any]) -> dict[str, Any]:
        """State after a turn: metres, degrees, health 0 to 100; and its events."""
        return {
            **{name: turn[name] for name in ("steps", "health", "reward", "total_reward", "yaw")},
            **dict(zip("xyz", turn["position"], strict=True)),
            "events": "; ".join(f"{event['kind']} ({event['name']})" for event in turn["events"]),
        }

    def rates(self, results: pd.DataFrame) -> GroupRates:
        """Compare runs by level with children, competition and published agents and models."""
        runs = [
            played_run(part, False, log.choices.animal_ai, partial=log.partial, digests=log.digests)
            for agent, part in results.groupby("agent", sort=False)
            for log in [self._logs[str(agent)]]
        ]
        return rates_beside_others(runs)

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
        """Failure reasons by agent, with their definitions."""
        table = counted_table("Failure", "failure", list(Failure), rows, agents)
        unreplayed = sum(row["passed"] is False and row["failure"] is None for row in rows)
        values = {"table": table, "unreplayed": unreplayed, "failures": list(Failure)}
        failed = Panel("Why episodes failed", part("arena/failures.html.j2", **values))
        named = {agents.get(agent, agent): records for agent, records in self._experiments.items()}
        return [failed, *(run_panels(get_suite("laboratory"), named) if named else ())]

    def facts(self, log: RunLog) -> dict[str, str]:
        """The version of Animal-AI, which comparisons need."""
        return {"Animal-AI": log.choices.animal_ai}

    def methods(self, log: RunLog, versions: Mapping[str, set[str]]) -> str:
        """The tasks, the arena, and how a model or a policy played it."""
        known = {name: ", ".join(sorted(values)) for name, values in versions.items()}
        labels = {"physics": "moved by", "python": "Python", "machine": "on"}
        values = {
            "published": has_published_tasks(log.digests, log.task_ids),
            "ran": "; ".join(f"{label} {known[key]}" for key, label in labels.items() if key in known),
            "steps_per_turn": STEPS_PER_TURN,
        }
        if log.choices.acts:
            values |= _policy(log.player)
        else:
            values["paper"] = remarks_of(log.suite, log.choices, log.prompts(), log.arguments.get("protocol"))
            values["stated"] = ", ".join(stated(log.prompts()))
        return prose("arena/methods.j2", log=log, versions=known, **values)

    def analysis(self, rows: Sequence[Row]) -> str:
        """Explain the origin of failure reasons and pictures."""
        found = Counter(row["replay"] for row in rows)
        replayed = found.total() - found["none"]
        drawn = DRAWN_BY if self._renderer else None
        values = {"replayed": replayed, "inexact": found["differs"], "renderer": drawn}
        return prose("arena/analysis.j2", **values)


def _experimented(
    question: Question, recording: Recording, trace: replays.Trace, episode: LoggedEpisode
) -> dict[str, Any]:
    """An episode in the laboratory, as the panels of its suite read it."""
    hidden = question.hidden
    right = hidden.doors[truth(question, recording.seed, recording.task_id, recording.trial)]
    beliefs = {turn.get("experiments"): turn.get("belief") or () for turn in episode.turns}
    turns: list[dict[str, Any]] = []
    for number, turn in enumerate(hidden.turns(trace.experiments)):
        turns.append({"turn": number, "belief": None, "said": None, **turn})
        if turn["experiment"] is not None:
            turns[-1]["said"] = seen(question, turn["experiment"], turn["outcome"])
        if turn["door"] is None and len(beliefs.get(number, ())) == question.doors:
            stated = {"turn": number, "belief": beliefs[number], "posterior": turn["posterior"]}
            turns.append(dict.fromkeys(turns[-1]) | stated)
    return {
        "turns": turns,
        "replay": {"question": question.model_dump(mode="json"), "right": int(right)},
        "motion": motion_of(recording.task_id),
        "passed": episode.result.passed,
        "scripts": sum(turn.get("kind") != "predict" for turn in episode.turns),
    }


def difference(trace: replays.Trace, recording: Recording, episode: LoggedEpisode) -> str | None:
    """A sentence on what differs between a replay and the log; None if nothing does."""
    found = trace.differs_from(recording)
    if found:
        return f"The replay differs from the log ({found}): path, pictures and failure reason are not exact."
    ends = [trace.moments[last].position for _, last in trace.turns]
    if any(tuple(turn["position"]) != end for turn, end in zip(episode.turns, ends, strict=True)):
        return "The replay ends as logged, but turns begin elsewhere: pictures may belong to other turns."
    return None


def _failures(trace: replays.Trace, spec: ArenaSpec, episode: LoggedEpisode) -> tuple[Failure, ...]:
    """All kinds of failure that a failed episode shows; empty for others."""
    if episode.result.passed is not False:
        return ()
    turns, stops = [turn for turn in episode.turns if "belief" not in turn], episode.stops
    empty = sum(not str(turn["reply"]).strip() for turn in turns)
    refused = max(sum(stops[reason] for reason in REFUSALS), empty)
    replies = Replies(len(turns), sum(turn["error"] is not None for turn in turns), refused)
    return signs(Case(trace, replies, spec.pass_mark, spec.time_limit))


def _version_warnings(recording: Recording | None) -> list[str]:
    now, then = software_versions(), recording.versions if recording else {}
    changed = [f"{key} {then[key]}, now {now.get(key, 'none')}" for key in then if then[key] != now.get(key)]
    return [f"Recorded with versions other than those of the replay ({'; '.join(changed)})."] * bool(changed)
