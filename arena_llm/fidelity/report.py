"""What a comparison with a recording comes to, as values and as printed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena import EvaluationError
from arena_llm.fidelity.frames import CLASSES, FrameMatch
from arena_llm.fidelity.poses import Ending, ModelPose
from arena_llm.fidelity.replay import Played, Replay
from arena_llm.fidelity.trace import HEALTH_TOLERANCE, Trace

REWARD_TOLERANCE = 0.0005
"""Half of the last of the three decimals with which a total reward is told."""


@dataclass(frozen=True, slots=True)
class Fidelity:
    """A replay beside its recording: predicted poses by turn, pictures, and how the recording ended."""

    trace: Trace
    replay: Replay
    poses: Mapping[int, ModelPose]
    frames: tuple[FrameMatch, ...]
    unmatched: tuple[str, ...]
    ending: Ending
    random_places: bool

    @property
    def health_agrees(self) -> bool:
        """Whether health is as recorded after every turn whose health was recorded."""
        return self.replay.agreeing == self.replay.judged

    @property
    def worst_frame(self) -> FrameMatch | None:
        """The picture with the smallest share of pixels in the same class."""
        return min(self.frames, key=lambda match: match.same, default=None)

    def mean_ious(self) -> dict[str, float]:
        """Each class's overlap, averaged over the pictures that have it."""
        values = {name: [match.iou[name] for match in self.frames if name in match.iou] for name in CLASSES}
        return {name: float(np.mean(found)) for name, found in values.items() if found}

    def reward_agrees(self) -> bool | None:
        """Whether the total reward is the recorded one; None where that is not known."""
        recorded = self.ending.total_reward
        return None if recorded is None else abs(self.replay.total_reward - recorded) <= REWARD_TOLERANCE

    def tick_agrees(self) -> bool | None:
        """Whether our episode ended in the recorded tick; None where that is not known."""
        recorded = self.ending.tick
        return None if recorded is None else self.replay.ended and self.replay.ticks == recorded


def print_fidelity(console: Console, fidelity: Fidelity) -> None:
    """A table of the turns, one of the pictures, and the summary."""
    console.print(_turns_table(fidelity))
    if fidelity.frames:
        console.print(_frames_table(fidelity))
    for line in _summary(fidelity):
        console.print(line)


def write_json(path: Path, fidelity: Fidelity) -> None:
    """Store everything that is printed; raises EvaluationError where the file cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(as_dict(fidelity), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be written ({error.strerror or error})") from None


def as_dict(fidelity: Fidelity) -> dict[str, Any]:
    """Plain values, ready for JSON."""
    replay, worst = fidelity.replay, fidelity.worst_frame
    return {
        "turns": [_told(turn, fidelity.poses.get(turn.row.turn)) for turn in replay.turns],
        "unreached": [row.turn for row in replay.unreached],
        "health": {
            "judged": replay.judged,
            "agreeing": replay.agreeing,
            "tolerance": HEALTH_TOLERANCE,
        },
        "frames": [{"name": m.name, "same": m.same, "iou": dict(m.iou)} for m in fidelity.frames],
        "pictures_without_counterpart": list(fidelity.unmatched),
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


def _told(turn: Played, pose: ModelPose | None) -> dict[str, Any]:
    return {
        "turn": turn.row.turn,
        "script": turn.row.text,
        "steps": turn.steps,
        "tick": turn.tick,
        "health": turn.health,
        "recorded_health": turn.row.health,
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
        # Scripts are of any length, so theirs is the column that gives way.
        script = heading == "script"
        table.add_column(heading, justify="left" if script else "right", no_wrap=not script, overflow="fold")
    if fidelity.poses:
        table.add_column("model x, z", justify="right", no_wrap=True)
        table.add_column("off by", justify="right", no_wrap=True)
    for turn in fidelity.replay.turns:
        table.add_row(*_turn_cells(turn, fidelity.poses.get(turn.row.turn), bool(fidelity.poses)))
    for row in fidelity.replay.unreached:
        recorded = "-" if row.health is None else f"{row.health:.1f}"
        table.add_row(str(row.turn), row.text, "0", "over", recorded, _mark("-", row.health is None))
    return table


def _turn_cells(turn: Played, pose: ModelPose | None, has_poses: bool) -> list[str | Text]:
    row = turn.row
    recorded, off = "-", Text("-")
    if row.health is not None:
        recorded, off = f"{row.health:.1f}", _mark(f"{turn.health - row.health:+.3f}", turn.agrees)
    x, y, z = turn.position
    cells: list[str | Text] = [
        *(str(row.turn), row.text, str(turn.steps), f"{turn.health:.3f}", recorded, off),
        *(f"{x:.2f}, {y:.2f}, {z:.2f}", f"{turn.yaw:.0f}", f"{turn.speed:.2f}"),
    ]
    if has_poses:
        cells += [f"{pose.x:.2f}, {pose.z:.2f}", f"{pose.distance(x, z):.2f}"] if pose else ["-", "-"]
    return cells


def _frames_table(fidelity: Fidelity) -> Table:
    seen = [name for name in CLASSES if any(name in match.iou for match in fidelity.frames)]
    table = Table(
        title="pictures: share of pixels in the same class, and each class's overlap (IoU)",
        title_justify="left",
    )
    for heading in ("picture", "same", *seen):
        table.add_column(heading, justify="left" if heading == "picture" else "right", no_wrap=True)
    for match in fidelity.frames:
        overlaps = (f"{match.iou[name]:.2f}" if name in match.iou else "" for name in seen)
        table.add_row(match.name, f"{match.same:.3f}", *overlaps)
    mean = np.mean([match.same for match in fidelity.frames])
    means = fidelity.mean_ious()
    table.add_section()
    table.add_row("mean", f"{mean:.3f}", *(f"{means[name]:.2f}" for name in seen))
    return table


def _summary(fidelity: Fidelity) -> list[Text]:
    replay = fidelity.replay
    lines = [
        _mark(
            f"Health agrees within {HEALTH_TOLERANCE} after {replay.agreeing} of {replay.judged} turns"
            " whose health was recorded.",
            fidelity.health_agrees,
        )
    ]
    events = [event for turn in replay.turns for event in turn.events]
    told = "; ".join(f"{event.kind} ({event.name}) in tick {event.tick}" for event in events)
    lines.append(Text(f"Events: {told or 'none'}."))
    lines += _ending_lines(fidelity)
    worst = fidelity.worst_frame
    if worst:
        lines.append(Text(f"Worst picture: {worst.name}, {worst.same:.3f} of its pixels in the same class."))
    else:
        lines.append(Text("No pictures were compared."))
    if fidelity.unmatched:
        lines.append(_mark(f"Pictures whose moment was not reached: {', '.join(fidelity.unmatched)}.", False))
    if fidelity.random_places:
        lines.append(_mark("The arena has random places: a replay can agree by chance only.", False))
    return lines


def _ending_lines(fidelity: Fidelity) -> list[Text]:
    replay, recorded = fidelity.replay, fidelity.ending
    reward = "not known" if recorded.total_reward is None else f"{recorded.total_reward:.3f}"
    tick = "not known" if recorded.tick is None else str(recorded.tick)
    ended = f"ended in tick {replay.ticks} ({replay.outcome})"
    ours = ended if replay.ended else f"not ended by tick {replay.ticks}"
    return [
        _mark(f"Total reward: {replay.total_reward:.3f}, recorded {reward}.", fidelity.reward_agrees()),
        _mark(f"Episode: {ours}, recorded end {tick}.", fidelity.tick_agrees()),
    ]


def _mark(text: str, good: bool | None) -> Text:
    return Text(text, style="" if good or good is None else "bold red")
