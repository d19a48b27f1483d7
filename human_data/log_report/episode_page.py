"""One episode: replayed, judged, and put on a page of its own."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from arena import ArenaSpec, Event, Scene
from arena.episode import software_versions
from arena.errors import ArenaError
from human_data.log_report.drawings import event_lines, health_curve, way_svg, webp
from human_data.log_report.failures import DEFINITIONS, Case, Failure, Replies, signs
from human_data.log_report.log import LoggedEpisode
from human_data.log_report.replay import Look, Trace, replay
from llm_control.protocol import Protocol
from render import Frame

REFUSALS = ("content_filter", "refusal")
"""Why a reply ended, in Inspect's words, where a provider's filter stopped it."""

Draw = Callable[[Scene], Frame]
Save = Callable[[str, bytes], object]


@dataclass(frozen=True, slots=True)
class Played:
    """A logged episode and, where it could be replayed, its trace; else `problem` says why not."""

    episode: LoggedEpisode
    spec: ArenaSpec | None
    trace: Trace | None = None
    problem: str | None = None
    pictures: tuple[str, ...] = ()

    @property
    def failures(self) -> tuple[Failure, ...]:
        """All kinds of failure that a failed episode shows; empty for others."""
        if self.trace is None or self.spec is None or self.episode.result.passed is not False:
            return ()
        return signs(Case(self.trace, self._replies(), self.spec.pass_mark, self.spec.time_limit))

    def _replies(self) -> Replies:
        turns, stops = self.episode.turns, self.episode.stops
        empty = sum(not str(turn["reply"]).strip() for turn in turns)
        refused = max(sum(stops[reason] for reason in REFUSALS), empty)
        return Replies(len(turns), sum(turn["error"] is not None for turn in turns), refused)


def play(
    episode: LoggedEpisode, spec: ArenaSpec | None, protocol: Protocol, draw: Draw | None, save: Save
) -> Played:
    """Replay an episode; each picture is drawn, saved under its number and forgotten.

    `save` is given a name such as 01.webp and the file's bytes.
    """
    recording = episode.recording
    if recording is None or spec is None:
        told = None if recording is None else "Its arena is neither in the log nor among the task files."
        return Played(episode, spec, problem=told)
    names: list[str] = []

    def take(scene: Scene) -> None:
        if draw is not None:
            names.append(f"{len(names) + 1:02d}.webp")
            save(names[-1], webp(draw(scene)))

    steps = [int(turn["steps"]) for turn in episode.turns]
    try:
        trace = replay(spec, recording, protocol, steps, take)
    except ArenaError as error:
        return Played(episode, spec, problem=str(error))
    return Played(episode, spec, trace, _difference(trace, episode), tuple(names))


def _difference(trace: Trace, episode: LoggedEpisode) -> str | None:
    assert episode.recording is not None
    told = trace.differs_from(episode.recording)
    if told:
        return f"The replay differs from what was logged ({told}): way, pictures and reason are not exact."
    ends = [trace.moments[last].position for _, last in trace.turns]
    if any(tuple(turn["position"]) != end for turn, end in zip(episode.turns, ends, strict=True)):
        return "The replay ends as logged, but turns begin elsewhere: pictures may belong to other turns."
    return None


def row(played: Played) -> dict[str, Any]:
    """The episode in the tables: `TrialResult`, reason of failure, replies, tokens, price and time."""
    episode = played.episode
    failures = played.failures
    return {
        **asdict(episode.result),
        "failure": str(failures[0]) if failures else None,
        "signs": [str(failure) for failure in failures],
        "invalid_replies": sum(turn["error"] is not None for turn in episode.turns),
        "mended_replies": sum(bool(turn["repairs"]) for turn in episode.turns),
        "input_tokens": episode.usage.input_tokens,
        "output_tokens": episode.usage.output_tokens,
        "reasoning_tokens": episode.usage.reasoning_tokens,
        "cost_usd": episode.usage.cost,
        "seconds": episode.seconds,
        "replay": "none" if played.trace is None else "differs" if played.problem else "exact",
    }


def turn_rows(episode: LoggedEpisode) -> list[dict[str, Any]]:
    """The episode's turns in the table of turns; metres, degrees."""
    key = {name: getattr(episode.result, name) for name in ("agent", "task_id", "trial")}
    return [
        {
            **key,
            **{name: turn[name] for name in ("turn", "steps", "health", "reward", "total_reward", "yaw")},
            **dict(zip("xyz", turn["position"], strict=True)),
            "reply": turn["reply"],
            "thoughts": " / ".join(turn["thoughts"]),
            "error": turn["error"],
            "repairs": "; ".join(turn["repairs"]),
            "events": "; ".join(f"{event['kind']} ({event['name']})" for event in turn["events"]),
        }
        for turn in episode.turns
    ]


def page(played: Played, facts: Mapping[str, Any], pictures: str) -> dict[str, Any]:
    """What the template of an episode's page is given.

    `facts` is the episode's row with the paths of its pages; `pictures` the folder of its pictures, as seen
    from the page.
    """
    trace = played.trace
    files = [f"{pictures}/{name}" for name in played.pictures]
    failure = facts["failure"]
    return {
        "row": facts,
        "definition": DEFINITIONS[Failure(failure)] if failure else None,
        "warnings": _warnings(played),
        "plan": way_svg(trace, facts["task_id"]) if trace else None,
        "curve": health_curve(trace) if trace else None,
        "events": event_lines(trace.events) if trace else [],
        "strip": _strip(trace.looks, files, len(played.episode.turns)) if trace else [],
        "turns": [_turn(turn, trace, files) for turn in played.episode.turns],
        "last_picture": files[-1] if files else None,
        "provenance": _provenance(played),
    }


def _turn(turn: Mapping[str, Any], trace: Trace | None, files: list[str]) -> dict[str, Any]:
    number = int(turn["turn"])
    shown = [(k, look) for k, look in enumerate(trace.looks) if look.turn == number] if trace else []
    return {
        "number": number,
        "pictures": [
            {"file": files[k], "alt": f"What was seen before turn {number}, after {look.step} steps"}
            for k, look in shown
            if k < len(files)
        ],
        "sees": _sees([look for _, look in shown]) if trace and trace.had_goal else None,
        "thoughts": turn["thoughts"],
        "reply": turn["reply"],
        "error": turn["error"],
        "repairs": turn["repairs"],
        "came": _came(turn),
    }


def _strip(looks: list[Look], files: list[str], turns: int) -> list[dict[str, str]]:
    return [
        {
            "file": file,
            "anchor": f"turn-{look.turn}" if look.turn is not None and look.turn <= turns else "end",
            "label": _label(look, turns),
            "alt": f"After {look.step} steps" + (", a goal in view" if look.seen else ""),
        }
        for look, file in zip(looks, files, strict=False)
    ]


def _label(look: Look, turns: int) -> str:
    if look.turn is None:
        return "the end"
    return f"turn {look.turn}" if look.turn <= turns else "no reply left"


def _sees(looks: list[Look]) -> str | None:
    if not looks:
        return None
    return "A goal is in view." if any(look.seen for look in looks) else "No goal in view."


def _came(turn: Mapping[str, Any]) -> str:
    x, _, z = turn["position"]
    events = ", ".join(event_lines(Event(**event) for event in turn["events"]))
    return (
        f"{turn['steps']} steps; health {turn['health']:.1f}; reward {turn['reward']:+.3f}, in total "
        f"{turn['total_reward']:+.3f}; at x {x:.1f}, z {z:.1f}, heading {turn['yaw']:.0f}°."
        + (f" Events: {events}." if events else "")
        + (f" The episode ended: {turn['outcome']}." if turn["done"] else "")
    )


def _warnings(played: Played) -> list[str]:
    result = played.episode.result
    warnings = [f"No verdict: {result.error}"] if result.error else []
    if played.problem:
        warnings.append(played.problem)
    recording = played.episode.recording
    now = software_versions()
    then = recording.versions if recording else {}
    changed = [f"{key} {then[key]}, now {now.get(key, 'none')}" for key in then if then[key] != now.get(key)]
    if played.trace and changed:
        warnings.append(f"Recorded with other versions than it is replayed with ({'; '.join(changed)}).")
    return warnings


def _provenance(played: Played) -> str:
    recording = played.episode.recording
    if recording is None:
        return "There is no recording of this episode."
    versions = ", ".join(f"{name} {version}" for name, version in recording.versions.items())
    exact = "Replayed exactly" if played.trace and not played.problem else "Not replayed exactly"
    arena = recording.spec_sha256[:12]
    return f"{exact}. Seed {recording.seed}, trial {recording.trial + 1}, arena {arena}; {versions}."
