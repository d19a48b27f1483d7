"""The arena's part in a report: replays with path, health, reasons of failure; children and competition."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from arena import ArenaSpec, Event, Scene
from arena.episode import software_versions
from arena.errors import ArenaError
from human_data.baselines import children_by_task
from llm_control.protocol import Protocol
from render import Frame
from report import site
from report.arena.drawings import event_lines, health_curve, path_svg, plan_svg
from report.arena.failures import DEFINITIONS, Case, Failure, Replies, signs
from report.arena.looks import as_sent, seen_sentences
from report.arena.methods import analysis_sentences, methods_sentences
from report.arena.replay import Trace, replay
from report.comparison.levels import compare_levels, described, level_name
from report.formats import percent
from report.panels import EpisodeFindings, Panel, Row, SuiteReport
from report.pictures import PictureBook
from report.rates import GroupRates
from report.run import RunLog
from report.run.logged import LoggedEpisode
from report.tables import counted_table

Draw = Callable[[Scene], Frame]

REFUSALS = ("content_filter", "refusal")
"""Why a reply ended, in Inspect's words, if a provider's filter stopped it."""


class ArenaReport(SuiteReport):
    """Reports of logs of the arena.

    `draw` makes a picture of a scene, uint8 (512, 512, 3), for the views that are not in the log, and
    `renderer` says in words what it draws with. `same_layouts` says that the tasks count as the
    original files.
    """

    group, place = "level", "in the arena"

    def __init__(self, draw: Draw | None, renderer: str | None, same_layouts: bool) -> None:
        super().__init__()
        self._draw, self._renderer, self._same_layouts = draw, renderer, same_layouts
        self._specs: dict[str, ArenaSpec] = {}
        self._protocol = Protocol()
        self._plans: dict[str, Markup] = {}

    def group_name(self, group: int) -> str:
        """What a level tests."""
        return level_name(group)

    def begin(self, log: RunLog) -> None:
        """Read the arenas of a log."""
        self._specs, self._protocol = log.specs(), log.protocol

    def examine(self, episode: LoggedEpisode, book: PictureBook) -> EpisodeFindings:
        """Replay an episode and judge why it failed; its true views go to `book`."""
        spec, problem = self._specs.get(episode.result.task_id), None
        trace = None
        if episode.recording is not None and spec is None:
            problem = "Its arena is neither in the log nor among the task files."
        if episode.recording is not None and spec is not None:
            try:
                trace = self._replay(spec, episode, book)
                problem = difference(trace, episode)
            except ArenaError as error:
                problem = str(error)
        failures = _failures(trace, spec, episode)
        return EpisodeFindings(
            panels=self._panels_of(trace, failures, episode),
            columns={
                "failure": str(failures[0]) if failures else None,
                "signs": "; ".join(failures),
                "replay": "none" if trace is None else "differs" if problem else "exact",
            },
            warnings=[*filter(None, [problem]), *_version_warnings(trace, episode)],
            seen=seen_sentences(trace),
            results={int(turn["turn"]): _result(turn) for turn in episode.turns},
            provenance=_provenance(episode, trace is not None and problem is None),
        )

    def _replay(self, spec: ArenaSpec, episode: LoggedEpisode, book: PictureBook) -> Trace:
        def look(scene: Scene, turn: int | None) -> None:
            if self._draw is not None:
                draw = self._draw
                book.add_true_view(turn, lambda: draw(scene))

        assert episode.recording is not None
        steps = [int(turn["steps"]) for turn in episode.turns]
        trace = replay(spec, episode.recording, self._protocol, steps, look)
        trace.looks = as_sent(trace.looks, episode.talk, self._protocol)
        task_id = episode.result.task_id
        if task_id not in self._plans:
            self._plans[task_id] = plan_svg(trace.layout, f"Task {task_id}")
        return trace

    def _panels_of(
        self, trace: Trace | None, failures: Sequence[Failure], episode: LoggedEpisode
    ) -> list[Panel]:
        panels = []
        if failures:
            values = {"failure": failures[0], "definition": DEFINITIONS[failures[0]], "more": failures[1:]}
            panels.append(Panel("Why it failed", site.part("arena/failure.html.j2", **values)))
        if trace is not None:
            acts, events = self._protocol.acts, event_lines(trace.events)
            path, curve = path_svg(trace, episode.result.task_id), health_curve(trace)
            panels.append(Panel("Path", site.part("arena/path.html.j2", plan=path, acts=acts)))
            health = site.part("arena/health.html.j2", curve=curve, events=events, acts=acts)
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
        """Runs by level beside children, competition and published models."""
        rates = compare_levels(results, same_layouts=self._same_layouts)
        return described(rates, self._same_layouts)

    def references(self) -> dict[str, dict[str, str]]:
        """The share of children who passed each task; nothing if the tasks are not theirs."""
        if not self._same_layouts:
            return {}
        shares = children_by_task().set_index("task_id")["pass_rate"]
        return {"Children": {str(task): f"{percent(share)} %" for task, share in shares.items()}}

    def task_panels(self, task_id: str) -> list[Panel]:
        """The arena at the start of the first trial, if one could be replayed."""
        if task_id not in self._plans:
            return []
        return [Panel("Arena", site.part("arena/plan.html.j2", plan=self._plans[task_id]))]

    def run_panels(self, rows: Sequence[Row], agents: Mapping[str, str]) -> list[Panel]:
        """Reasons of failure by agent, with their definitions."""
        table = counted_table("Failure", "failure", list(Failure), rows, agents)
        unreplayed = sum(row["passed"] is False and row["failure"] is None for row in rows)
        values = {"table": table, "unreplayed": unreplayed, "definitions": list(DEFINITIONS.items())}
        return [Panel("Why episodes were failed", site.part("arena/failures.html.j2", **values))]

    def facts(self, log: RunLog) -> dict[str, str]:
        """The version of Animal-AI, which comparisons need."""
        return {"Animal-AI": log.protocol.animal_ai}

    def methods(self, log: RunLog, versions: Mapping[str, set[str]]) -> str:
        """The arena, how it was presented to the model, and what a reply could do."""
        return methods_sentences(log, versions)

    def analysis(self, rows: Sequence[Row]) -> str:
        """How reasons of failure and pictures came about."""
        return analysis_sentences(rows, self._renderer)


def difference(trace: Trace, episode: LoggedEpisode) -> str | None:
    """A sentence on what differs between a replay and the log; None if nothing does."""
    assert episode.recording is not None
    found = trace.differs_from(episode.recording)
    if found:
        return (
            f"The replay differs from the log ({found}): path, pictures and reason of failure are not exact."
        )
    ends = [trace.moments[last].position for _, last in trace.turns]
    if any(tuple(turn["position"]) != end for turn, end in zip(episode.turns, ends, strict=True)):
        return "The replay ends as logged, but turns begin elsewhere: pictures may belong to other turns."
    return None


def _failures(trace: Trace | None, spec: ArenaSpec | None, episode: LoggedEpisode) -> tuple[Failure, ...]:
    """All kinds of failure that a failed episode shows; empty for others."""
    if trace is None or spec is None or episode.result.passed is not False:
        return ()
    turns, stops = episode.turns, episode.stops
    empty = sum(not str(turn["reply"]).strip() for turn in turns)
    refused = max(sum(stops[reason] for reason in REFUSALS), empty)
    replies = Replies(len(turns), sum(turn["error"] is not None for turn in turns), refused)
    return signs(Case(trace, replies, spec.pass_mark, spec.time_limit))


def _result(turn: Mapping[str, Any]) -> str:
    x, _, z = turn["position"]
    events = ", ".join(event_lines(Event(**event) for event in turn["events"]))
    return (
        f"{turn['steps']} steps; health {turn['health']:.1f}; reward {turn['reward']:+.3f}, in total "
        f"{turn['total_reward']:+.3f}; at x {x:.1f}, z {z:.1f}, heading {turn['yaw']:.0f}°."
        + (f" Events: {events}." if events else "")
        + (f" The episode ended: {turn['outcome']}." if turn["done"] else "")
    )


def _version_warnings(trace: Trace | None, episode: LoggedEpisode) -> list[str]:
    now, then = software_versions(), episode.recording.versions if episode.recording else {}
    changed = [f"{key} {then[key]}, now {now.get(key, 'none')}" for key in then if then[key] != now.get(key)]
    if trace is None or not changed:
        return []
    return [f"Recorded with other versions than it is replayed with ({'; '.join(changed)})."]


def _provenance(episode: LoggedEpisode, exact: bool) -> str:
    recording = episode.recording
    if recording is None:
        return "There is no recording of this episode."
    versions = ", ".join(f"{name} {version}" for name, version in recording.versions.items())
    found = "Replayed exactly" if exact else "Not replayed exactly"
    arena = recording.spec_sha256[:12]
    return f"{found}. Seed {recording.seed}, trial {recording.trial + 1}, arena {arena}; {versions}."
