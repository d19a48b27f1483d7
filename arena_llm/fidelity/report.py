"""Result of a comparison with a recording, as values and printed tables."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena_llm.fidelity.pictures import CLASSES, FrameMatch
from arena_llm.fidelity.trace import (
    HEALTH_TOLERANCE,
    Ending,
    PredictedPose,
    ReplayedEpisode,
    ReplayedTurn,
    Trace,
)

REWARD_TOLERANCE = 0.0005
"""Half of the last of a recorded total reward's three decimals."""


class Fidelity(NamedTuple):
    """Replay and its recording: predicted poses by turn, pictures, and the recorded ending."""

    trace: Trace
    replay: ReplayedEpisode
    poses: Mapping[int, PredictedPose]
    frames: tuple[FrameMatch, ...]
    ending: Ending
    random_places: bool

    @property
    def health_agrees(self) -> bool:
        """Return whether health agrees after every turn with a recorded health."""
        return self.replay.agreeing == self.replay.judged

    @property
    def unmatched(self) -> list[str]:
        """List recorded pictures that our episode did not reach."""
        pictures = self.trace.pictures
        return [path.name for instant, path in pictures.items() if instant not in self.replay.scenes]

    @property
    def worst_frame(self) -> FrameMatch | None:
        """Find the picture with the smallest share of pixels in the same class."""
        return min(self.frames, key=lambda match: match.same, default=None)

    def mean_ious(self) -> dict[str, float]:
        """Average each class's overlap over the pictures that contain it."""
        values = {name: [match.iou[name] for match in self.frames if name in match.iou] for name in CLASSES}
        return {name: float(np.mean(found)) for name, found in values.items() if found}


def print_fidelity(console: Console, fidelity: Fidelity) -> None:
    """Print a table of the turns, one of the pictures, and a summary."""
    console.print(_turns_table(fidelity))
    if fidelity.frames:
        console.print(_frames_table(fidelity))
    for line in _summary(fidelity):
        console.print(line)


def as_dict(fidelity: Fidelity) -> dict[str, Any]:
    """Return all printed values, for JSON."""
    replay, worst = fidelity.replay, fidelity.worst_frame
    return {
        "turns": [_turn_values(turn, fidelity.poses.get(turn.recorded.turn)) for turn in replay.turns],
        "unreached": [turn.turn for turn in replay.unreached],
        "health": {"judged": replay.judged, "agreeing": replay.agreeing, "tolerance": HEALTH_TOLERANCE},
        "frames": [match._asdict() for match in fidelity.frames],
        "pictures_without_counterpart": fidelity.unmatched,
        "mean_iou": fidelity.mean_ious(),
        "worst_frame": worst.name if worst else None,
        "ending": {
            "total_reward": replay.total_reward,
            "tick": replay.ticks,
            "outcome": str(replay.outcome) if replay.outcome else None,
            "recorded": fidelity.ending._asdict(),
        },
        "random_places": fidelity.random_places,
    }


def _turn_values(turn: ReplayedTurn, pose: PredictedPose | None) -> dict[str, Any]:
    return {
        "turn": turn.recorded.turn,
        "script": turn.recorded.text,
        "steps": turn.steps,
        "tick": turn.tick,
        "health": turn.health,
        "recorded_health": turn.recorded.health,
        "agrees": turn.agrees,
        "position": list(turn.position),
        "yaw": turn.yaw,
        "speed": turn.speed,
        "model": pose._asdict() if pose else None,
        "events": [
            {"tick": event.tick, "kind": str(event.kind), "name": event.name, "reward": event.reward}
            for event in turn.events
        ],
    }


def _turns_table(fidelity: Fidelity) -> Table:
    table = Table(title=f"{fidelity.trace.name}: turn by turn", title_justify="left")
    for heading in ("turn", "script", "steps", "health", "recorded", "diff", "x, y, z", "yaw", "speed"):
        # A script may be long, so its column is the one that is wrapped.
        script = heading == "script"
        table.add_column(heading, justify="left" if script else "right", no_wrap=not script, overflow="fold")
    if fidelity.poses:
        table.add_column("model x, z", justify="right", no_wrap=True)
        table.add_column("off by", justify="right", no_wrap=True)
    for turn in fidelity.replay.turns:
        table.add_row(*_turn_cells(turn, fidelity.poses))
    for row in fidelity.replay.unreached:
        recorded = "-" if row.health is None else f"{row.health:.1f}"
        table.add_row(str(row.turn), row.text, "0", "over", recorded, _colored("-", row.health is None))
    return table


def _turn_cells(turn: ReplayedTurn, poses: Mapping[int, PredictedPose]) -> list[str | Text]:
    row = turn.recorded
    recorded, difference = "-", Text("-")
    if row.health is not None:
        recorded, difference = f"{row.health:.1f}", _colored(f"{turn.health - row.health:+.3f}", turn.agrees)
    x, y, z = turn.position
    cells: list[str | Text] = [
        *(str(row.turn), row.text, str(turn.steps), f"{turn.health:.3f}", recorded, difference),
        *(f"{x:.2f}, {y:.2f}, {z:.2f}", f"{turn.yaw:.0f}", f"{turn.speed:.2f}"),
    ]
    if poses:
        pose = poses.get(row.turn)
        cells += [f"{pose.x:.2f}, {pose.z:.2f}", f"{pose.distance(x, z):.2f}"] if pose else ["-", "-"]
    return cells


def _frames_table(fidelity: Fidelity) -> Table:
    means = fidelity.mean_ious()
    title = "pictures: share of pixels in the same class, and each class's overlap (IoU)"
    table = Table(title=title, title_justify="left")
    for heading in ("picture", "same", *means):
        table.add_column(heading, justify="left" if heading == "picture" else "right", no_wrap=True)
    for match in fidelity.frames:
        overlaps = (f"{match.iou[name]:.2f}" if name in match.iou else "" for name in means)
        table.add_row(match.name, f"{match.same:.3f}", *overlaps)
    mean = np.mean([match.same for match in fidelity.frames])
    table.add_section()
    table.add_row("mean", f"{mean:.3f}", *(f"{value:.2f}" for value in means.values()))
    return table


def _summary(fidelity: Fidelity) -> list[Text]:
    replay, worst = fidelity.replay, fidelity.worst_frame
    health = (
        f"Health agrees within {HEALTH_TOLERANCE} after {replay.agreeing} of {replay.judged} turns"
        " with recorded health."
    )
    events = [
        f"{event.kind} ({event.name}) in tick {event.tick}" for turn in replay.turns for event in turn.events
    ]
    lines = [_colored(health, fidelity.health_agrees), Text(f"Events: {'; '.join(events) or 'none'}.")]
    lines += _ending_lines(fidelity)
    if worst:
        lines.append(Text(f"Worst picture: {worst.name}, {worst.same:.3f} of its pixels in the same class."))
    else:
        lines.append(Text("No pictures were compared."))
    if fidelity.unmatched:
        lines.append(_colored(f"Pictures that were not reached: {', '.join(fidelity.unmatched)}.", False))
    if fidelity.random_places:
        lines.append(_colored("The arena has random positions: a replay agrees only by chance.", False))
    return lines


def _ending_lines(fidelity: Fidelity) -> list[Text]:
    replay, recorded = fidelity.replay, fidelity.ending
    reward, tick, paid, timed = "unknown", "unknown", None, None
    if recorded.total_reward is not None:
        reward = f"{recorded.total_reward:.3f}"
        paid = abs(replay.total_reward - recorded.total_reward) <= REWARD_TOLERANCE
    if recorded.tick is not None:
        tick, timed = str(recorded.tick), replay.ended and replay.ticks == recorded.tick
    ended = f"ended in tick {replay.ticks} ({replay.outcome})"
    ours = ended if replay.ended else f"not over by tick {replay.ticks}"
    return [
        _colored(f"Total reward: {replay.total_reward:.3f}, recorded {reward}.", paid),
        _colored(f"Episode: {ours}, recorded end {tick}.", timed),
    ]


def _colored(text: str, good: bool | None) -> Text:
    return Text(text, style="" if good or good is None else "bold red")
