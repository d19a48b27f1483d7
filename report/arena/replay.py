"""Replay an episode from its recording: where it went, what it saw, what was left at the end."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

from markupsafe import Markup

from arena import ArenaSpec, Episode, Event, Move, Outcome, Recording
from arena.action import TICK_S
from arena.errors import RecordingError
from arena.geometry.placed import AGENT_RADIUS, Layout
from arena.replay import Replay
from arena.scene import Scene, Vector, wrap_deg
from arena.science import Experiments
from arena.taskfile.catalog import KINDS
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.exchanges import Talk
from llm_control.choices import ArenaChoices
from llm_control.observations import picture_turns
from render.line_of_sight import LineOfSight
from report.panels import Kind, kinds
from testbed.floor_plan import PATH_COLOR, add_path, floor_plan, to_pixels

NEAR = 3.0
"""Metres between the surfaces of agent and goal within which the goal counts as nearly reached."""

Camera = Callable[[Scene, int | None], None]
"""Is given the scene of every picture, in order, and its turn as `Look` has it."""


class Moment(NamedTuple):
    """The state after a step, or at the start: metres, degrees, health 0 to 100.

    `gaps`: metres between the surfaces of the agent and of each good goal that is there, by its index.
    `open_goals`: those within `NEAR` with nothing opaque in between.
    """

    position: Vector
    yaw: float
    health: float
    move: Move
    gaps: dict[int, float]
    open_goals: frozenset[int]


class Look(NamedTuple):
    """A picture: after how many steps it was taken, before which turn (from 1), and the good goals on it.

    The turn after the last is one for which no reply was asked.

    `bearings`: degrees to the right of the heading at which each good goal that is there lies, -180 to 180.
    `turn` is None for the one at the end of the episode, which no agent is shown. `in_view` are the goals of
    a true view that was not sent, in the place of which something else was or nothing.
    """

    step: int
    turn: int | None
    seen: frozenset[int]
    bearings: dict[int, float]
    in_view: frozenset[int] = frozenset()


@dataclass(slots=True)
class Trace:
    """A replayed episode.

    `moments` has an entry for the start and one for each step; `turns` the first and last index into it of
    each turn's steps; `worths` what each good goal that was left would have brought, by its size.
    """

    layout: Layout
    moments: list[Moment] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    turns: list[tuple[int, int]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    worths: list[float] = field(default_factory=list)
    had_goal: bool = False
    ticks: int = 0
    outcome: Outcome | None = None
    total_reward: float = 0.0
    health: float = 0.0
    experiments: Experiments = field(default_factory=Experiments)

    def differs_from(self, recording: Recording) -> str | None:
        """Describe what the replay does not reproduce; None if it is exact."""
        pairs = {
            "total reward": (self.total_reward, recording.total_reward),
            "health": (self.health, recording.health),
            "outcome": (self.outcome, recording.outcome),
        }
        wrong = [f"{name} {now}, recorded {then}" for name, (now, then) in pairs.items() if now != then]
        return "; ".join(wrong) or None


def replay(
    spec: ArenaSpec,
    recording: Recording,
    choices: ArenaChoices,
    turn_steps: Sequence[int],
    camera: Camera | None = None,
) -> Trace:
    """Play a recording's actions again; the same software gives the same bits.

    `choices` say when pictures were taken, `turn_steps` are the steps of each turn. Raises RecordingError
    if the arena is not the recorded one, or it has several agents.
    """
    if recording.others or not recording.is_of(spec):
        reason = "it has several agents" if recording.others else "its arena is not the recorded one"
        raise RecordingError(f"{recording.task_id}: cannot be replayed: {reason}")
    # After which steps there is a picture, and before which turn each comes; the last is the end's.
    looks: dict[int, list[int | None]] = {k: list(v) for k, v in picture_turns(choices, turn_steps).items()}
    looks.setdefault(recording.steps, []).append(None)
    with Replay(recording, spec) as replayed:
        trace = Trace(replayed.episode.layout)
        sight = LineOfSight()
        for moment in replayed.moments():
            trace.events += moment.events
            move = moment.actions[0].move if moment.actions else Move.NONE
            _note(trace, moment.episode, sight, move, looks.get(moment.step, ()), camera)
        _finish(trace, replayed.episode, choices.initial_idle_steps, turn_steps)
    return trace


def _note(
    trace: Trace,
    episode: Episode,
    sight: LineOfSight,
    move: Move,
    turns: Sequence[int | None],
    camera: Camera | None,
) -> None:
    scene = episode.scene()
    goals = good_goals(scene)
    trace.had_goal = trace.had_goal or bool(goals)
    gaps = {goal: _gap(scene, goal) for goal in goals}
    near = frozenset(goal for goal, gap in gaps.items() if gap <= NEAR and sight.is_open(scene, goal))
    trace.moments.append(Moment(episode.position, episode.yaw, episode.health, move, gaps, near))
    for turn in turns:
        bearings = {goal: _bearing(scene, goal) for goal in goals}
        trace.looks.append(Look(episode.steps, turn, sight.in_view(scene, goals), bearings))
        if camera is not None:
            camera(scene, turn)


def _finish(trace: Trace, episode: Episode, idle_groups: Sequence[int], turn_steps: Sequence[int]) -> None:
    at, last = sum(idle_groups), len(trace.moments) - 1
    for taken in turn_steps:
        trace.turns.append((min(at, last), min(at + taken, last)))
        at += taken
    scene = episode.scene()
    # A ball that ends the episode stays in the world.
    eaten = {event.thing for event in trace.events}
    left = [goal for goal in good_goals(scene) if goal not in eaten]
    trace.worths = [KINDS[scene.things[goal].kind].reward * float(scene.sizes[goal][0]) for goal in left]
    trace.outcome, trace.ticks = episode.outcome, episode.ticks
    trace.total_reward, trace.health = episode.total_reward, episode.health
    trace.experiments = episode.experiments


def good_goals(scene: Scene) -> list[int]:
    """Indices of the balls that are there and bring a reward."""
    return [
        index
        for index, thing in enumerate(scene.things)
        if scene.visible[index] and KINDS[thing.kind].is_good_goal
    ]


def _gap(scene: Scene, ball: int) -> float:
    between = math.dist(scene.agent_position, scene.positions[ball])
    return between - float(scene.sizes[ball][0]) / 2 - AGENT_RADIUS


def _bearing(scene: Scene, ball: int) -> float:
    dx = float(scene.positions[ball][0]) - scene.agent_position[0]
    dz = float(scene.positions[ball][2]) - scene.agent_position[2]
    return wrap_deg(math.degrees(math.atan2(dx, dz)) - scene.agent_yaw)


def true_view(turn: int | None, episode: LoggedEpisode, choices: ArenaChoices) -> Kind | None:
    """Draw the true view before a turn, or at the end; None if the page has it already."""
    if choices.acts:
        return Kind.AHEAD
    if turn is None or episode.talk is None:
        return Kind.TRUE if turn is None else Kind.DRAWN
    plain = choices.resolution is None and not choices.blur_px and not choices.grayscale
    return None if plain and choices.vision == "true" and choices.shows_images else Kind.TRUE


def as_sent(looks: Sequence[Look], talk: Talk | None, choices: ArenaChoices) -> list[Look]:
    """The looks, with no goal seen in those whose true picture the model was not sent."""
    if choices.vision != "true":
        return [look if look.turn is None else _unseen(look) for look in looks]
    if talk is None or not choices.shows_images:
        return list(looks)
    numbers: dict[int, int] = {}
    found = []
    for look in looks:
        number = numbers.get(look.turn or 0, 0)
        numbers[look.turn or 0] = number + 1
        found.append(_unseen(look) if _is_dropped(look, number, talk) else look)
    return found


def _unseen(look: Look) -> Look:
    return look._replace(seen=frozenset(), in_view=look.seen)


def _is_dropped(look: Look, number: int, talk: Talk) -> bool:
    """Return whether the picture with this number was left out of a reply's request."""
    if look.turn is None or look.turn > len(talk.exchanges):
        return False
    exchange = talk.exchanges[look.turn - 1]
    if exchange.request is None or exchange.request.collage is not None:
        return False
    found = kinds(exchange)
    return number >= len(found) or found[number] is Kind.LEFT_OUT


def seen_sentences(trace: Trace | None) -> dict[int, str]:
    """By turn, whether a goal was on the pictures before its reply; empty if there never was one."""
    if trace is None or not trace.had_goal:
        return {}
    by_turn: dict[int, list[Look]] = {}
    for look in trace.looks:
        if look.turn is not None:
            by_turn.setdefault(look.turn, []).append(look)
    return {turn: _seen_in(looks) for turn, looks in by_turn.items()}


def _seen_in(looks: Iterable[Look]) -> str:
    if any(look.seen for look in looks):
        return "A goal is in view."
    hidden = any(look.in_view for look in looks)
    return "A goal was in view, but the model was not sent it." if hidden else "No goal in view."


_LEFT, _RIGHT, _BOTTOM, _PER_POINT = 40.0, 590.0, 190.0, 1.7
"""Places of the health curve's axes, in units of the page's drawing, which has the same."""

_TOGETHER = 0.8
"""Metres within which the ends of two turns would cover each other."""

_COARSE = 400
"""Points of a curve, approximately; more cannot be distinguished."""


def path_svg(trace: Trace, title: str) -> Markup:
    """The arena from above with the agent's path: ring at the start, square at the end, turns numbered."""
    root = floor_plan(trace.layout, title)
    places = [moment.position for moment in trace.moments]
    add_path(root, places)
    for first, last, place in _stops([places[end] for _, end in trace.turns]):
        _dot(root, place, f"{first}" if first == last else f"{first}–{last}")
    return markup(root)


def _stops(ends: list[Vector]) -> list[tuple[int, int, Vector]]:
    """First turn, last turn and place of each stop; turns that end where the one before did are one."""
    stops: list[tuple[int, int, Vector]] = []
    for number, place in enumerate(ends, start=1):
        if stops and math.dist(place, stops[-1][2]) < _TOGETHER:
            stops[-1] = (stops[-1][0], number, stops[-1][2])
        else:
            stops.append((number, number, place))
    return stops


def _dot(root: Element, place: Vector, label: str) -> None:
    x, y = to_pixels(place)
    half = 8 if len(label) < 3 else 3.3 * len(label)
    box = {"x": f"{x - half:.1f}", "y": f"{y - 8:.1f}", "width": f"{2 * half:.1f}", "height": "16", "rx": "8"}
    dot = SubElement(root, "rect", {"fill": PATH_COLOR, "stroke": "white", **box})
    SubElement(dot, "title").text = f"turn {label}: x={place[0]:.2f} z={place[2]:.2f}"
    style = {"font-size": "10", "font-family": "sans-serif", "text-anchor": "middle", "fill": "white"}
    SubElement(root, "text", {"x": f"{x:.1f}", "y": f"{y + 3.5:.1f}", **style}).text = label


def health_curve(trace: Trace) -> dict[str, Any]:
    """Compute the curve's points, marks at scripts' ends, and dots at events."""
    last = len(trace.moments) - 1

    def x(step: int) -> str:
        return f"{_LEFT + (_RIGHT - _LEFT) * step / max(last, 1):.1f}"

    def y(step: int) -> str:
        return f"{_BOTTOM - _PER_POINT * trace.moments[step].health:.1f}"

    steps = sorted({*range(0, last + 1, max(1, last // _COARSE)), last})
    dots = [(min(-(-event.tick // 3), last), f"{event.kind} ({event.name})") for event in trace.events]
    return {
        "points": " ".join(f"{x(step)},{y(step)}" for step in steps),
        "marks": [x(end) for _, end in trace.turns],
        "events": [{"x": x(step), "y": y(step), "text": text} for step, text in dots],
        "steps": last,
    }


def event_lines(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """Events in words: when, what, with which object, for what reward."""
    return [
        f"{event['tick'] * TICK_S:.1f} s: {event['kind']}, {event['name']}"
        + (f" {event['zone']}" if event.get("zone") else "")
        + (f", {event['detail']}" if event.get("detail") else "")
        + (f", {event['reward']:+.3f}" if event["reward"] else "")
        for event in events
    ]


def markup(root: Element) -> Markup:
    """A drawing as wide as its place on the page."""
    root.attrib.pop("width", None)
    root.attrib.pop("height", None)
    return Markup(tostring(root, encoding="unicode"))
