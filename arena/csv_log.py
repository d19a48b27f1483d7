"""CSV log of Animal-AI 4: one line per tick, 23 columns.

Facts are those of the original's scripts (`CSVWriter.cs`, `TrainingAgent.cs`, `DataZone.cs` of
Kinds-of-Intelligence-CFI/animal-ai-unity) and of recordings of 4.2: the line of a tick is the state before
its physics, with the events of the tick before. In a tick in which a decision is requested, its action is the
last one and its state that of the observation; in the others it shows the tick's action, by which the agent
has turned and braked already.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from arena.action import TICKS_PER_STEP, Action
from arena.episode import Episode
from arena.files import AppendedFile
from arena.geometry.placed import Placed
from arena.geometry.shapes import button_trigger
from arena.mechanisms import CONTINUOUS
from arena.rays import CAST_LENGTH, Rays
from arena.rules import Event, EventKind, decay_of
from arena.scene import Vector
from arena.taskfile.versions import Version

COLUMNS = (
    *("Episode", "Step", "Health", "Reward", "XVelocity", "YVelocity", "ZVelocity"),
    *("XPosition", "YPosition", "ZPosition", "ActionForwardWithDescription", "ActionRotateWithDescription"),
    *("WasAgentFrozen?", "WasNotificationShown?", "WasRewardDispensed?", "DispensedRewardType"),
    *("CollectedRewardType", "WasSpawnerButtonTriggered?", "CombinedSpawnerInfo", "DataZoneMessage"),
    *("ActiveCamera", "CombinedRaycastData", "arenaID"),
)
"""The columns, in the original's order.

Velocity is in the agent's frame (right, up, forward), m/s; position in the arena, metres. `Reward` is the
episode's so far, a sum in single precision. `CombinedRaycastData` has fraction of 200 m and tag of each ray.
The camera is always the first person's, and no notification is shown.
"""

_MOVES = ("0 (No Movement)", "1 (Move Forward)", "2 (Move Backward)")
_TURNS = ("0 (No Rotation)", "1 (Rotate Right)", "2 (Rotate Left)")
_CAMERA = "0 (First-Person)"
_IDLE = Action()
_NONE = "None"
_GRANTED = "End Episode Operation"
"""Reward text of operations in the original, even of final ones."""

_COLLECTED = (EventKind.GOOD_GOAL, EventKind.BAD_GOAL, EventKind.DECOY, EventKind.DEATH_ZONE)
_ZONE_WORDS = {EventKind.ZONE_ENTRY: "Agent was in DataZone: ", EventKind.ZONE_EXIT: "Agent left DataZone: "}
_ROUNDING = 1e-7
_LENGTH = np.float32(CAST_LENGTH)
_QUOTED = re.compile('[,"\r\n]')
_ARENA_NUMBER = re.compile(r"(?:^|#)(\d+)$")


class CsvLog:
    """Writer of the lines of consecutive episodes; it observes their ticks.

    Call `begin` with each new episode and `close` at the end. `decide` after a decision period logs its end
    at once instead of with the next one.
    """

    def __init__(
        self, file: AppendedFile, rays: Callable[[Version], Rays] | None = None, period: int = TICKS_PER_STEP
    ) -> None:
        """Log to `file`, which is flushed at the end of an episode.

        `rays` returns the ray sensor for arenas of a version; without it the column of the rays is empty.
        `period` is the number of ticks from one decision to the next.
        """
        self._file, self._rays, self._period = file, rays, period
        self._episode: Episode | None = None
        self._number = 0
        self._made = {"spawner": 0, "button": 0}
        self._last = _IDLE
        self._forget()

    def _forget(self) -> None:
        """Forget the content of the last line."""
        self._collected = self._dispensed = _NONE
        self._was_button = False
        self._info: list[str] = []
        self._zones: str | None = None

    def begin(self, episode: Episode) -> None:
        """Log an episode from its start; agent 0 if there are several."""
        if self._episode is None:
            self._file.write(",".join(COLUMNS) + "\n")
        self.close()
        self._episode, episode.observer = episode, self
        self._number += 1
        self._row_of = self._goals = self._seen = 0
        self._decay, self._reward, self._total = decay_of(episode.spec.time_limit), np.float32(0), 0.0
        self._spawned = episode.spawned
        self._zones = None
        self._ids: dict[int, int] = {}
        for placed in episode.layout.things:
            kind = placed.kind
            if kind.name == "SpawnerButton" or (kind.spawner is not None and not kind.internal):
                self._number_of(placed)
        self.decide()

    def _number_of(self, placed: Placed) -> int:
        """Return the number of a spawner or button. Numbers continue from one episode to the next."""
        if id(placed) not in self._ids:
            sort = "button" if placed.kind.spawner is None else "spawner"
            self._made[sort] += 1
            self._ids[id(placed)] = self._made[sort]
        return self._ids[id(placed)]

    def decide(self) -> None:
        """Log the state at a decision, once. Does nothing if the episode is over."""
        episode = self._episode
        if episode is not None and not episode.done and episode.ticks >= self._row_of:
            self._log(episode, None)

    def before_tick(self, actions: Sequence[Action]) -> None:
        """Log the tick that begins, unless `decide` has."""
        assert self._episode is not None
        if self._episode.ticks >= self._row_of:
            decides = self._episode.ticks % self._period == 0
            self._log(self._episode, None if decides else actions[0])
        self._last = actions[0]

    def after_tick(self, events: Sequence[Event]) -> None:
        """Keep the events of a tick for the next line."""
        assert self._episode is not None
        self._add_reward(self._episode.agents[0].reward_so_far)
        for event in events:
            if event.kind in _ZONE_WORDS:
                said = _ZONE_WORDS[event.kind] if self._zones is None else f"{self._zones} | "
                self._zones = said + event.zone
            elif event.kind in _COLLECTED:
                self._collected = event.name
                self._goals += event.kind is EventKind.GOOD_GOAL
            elif event.kind is EventKind.GRANT and event.name != CONTINUOUS:
                self._collected = _GRANTED
        if self._spawned is not self._episode.spawned:
            self._spawned, self._seen = self._episode.spawned, 0
        for by, placed in self._spawned[self._seen :]:
            if by is not None:
                self._add_spawned(by, placed)
        self._seen = len(self._spawned)

    def _add_reward(self, total: float) -> None:
        """Add a tick's reward to a total. The clock's part comes first, as in the original."""
        gained, self._total = total - self._total, total
        if gained:
            self._reward += self._decay
        if gained and abs(gained - self._decay) > _ROUNDING:
            self._reward += np.float32(gained - self._decay)

    def _add_spawned(self, by: Placed, placed: Placed) -> None:
        """Record an object added by a spawner, button or data zone."""
        name, (x, y, z) = placed.kind.name, _origin(by)
        number = by.zone_name if by.kind.name == "DataZone" else self._number_of(by)
        if by.kind.spawner is not None:
            self._dispensed = name
            who = f" SpawnerID:{number}"
        elif "Goal" in name:
            self._was_button = True
            who = f"SpawnerButtonID:{number}"
        else:
            return
        # The original writes a semicolon for each comma, also of a zone's name.
        self._info.append(f"{who}; Position:{_text(x)};{_text(y)};{_text(z)}; RewardType:{name}")

    def _log(self, episode: Episode, action: Action | None) -> None:
        """Log the next tick with its action. None logs it as the state of a decision."""
        self._row_of = episode.ticks + 1
        agent, frozen = episode.agents[0], episode.frozen
        # The arena's number in its file; merged ones follow the first.
        number = _ARENA_NUMBER.search(episode.task_id)
        arena = (int(number[1]) if number else 0) + episode.merged
        shown = self._last if action is None else action
        if action is None or frozen:
            velocity, yaw = agent.local_velocity, agent.yaw
        else:
            velocity, yaw = agent.braked(action)
        values = [
            *(str(self._number), str(self._row_of), _text(agent.health), _text(self._reward)),
            *(_text(value) for value in (*velocity, *agent.position)),
            *(_MOVES[shown.move], _TURNS[shown.rotate], _yes(frozen), _NONE),
            *(_yes(self._dispensed != _NONE), self._dispensed, self._collected, _yes(self._was_button)),
            *(_cell("|".join(self._info).replace(",", ";")) or "N/A", _cell(self._zones or _NONE), _CAMERA),
            *(self._rays_of(episode, yaw), str(arena)),
        ]
        self._file.write(",".join(values) + "\n")
        self._forget()

    def _rays_of(self, episode: Episode, yaw: float) -> str:
        if self._rays is None:
            return ""
        seen = self._rays(episode.spec.version).named(replace(episode.scene(), agent_yaw=yaw))
        fractions = [_text(np.float32(far) / _LENGTH) if tag else "1" for tag, far in seen]
        return ";".join(f"{far}:{tag or _NONE}" for far, (tag, _) in zip(fractions, seen, strict=True))

    def close(self) -> None:
        """Log the end of the last episode. Later calls do nothing until the next `begin`."""
        episode = self._episode
        if episode is None or episode.observer is not self:
            return
        self._file.write(f"Positive Goals Collected: {self._goals}\n")
        self._file.flush()
        episode.observer = None
        if episode.ticks % self._period:
            # The rest of the decision period passes without an action.
            self._last = _IDLE


@contextmanager
def csv_log(episode: Episode, path: Path | None) -> Iterator[None]:
    """Write the CSV log of an episode played within the block. It has five rays within 60 degrees. Without a
    path nothing is written. Raises EvaluationError if the file cannot be written."""
    if path is None:
        yield
        return
    rays = Rays(version=episode.spec.version)
    log = CsvLog(AppendedFile(path), lambda version: rays)
    log.begin(episode)
    with closing(log):
        yield


def _origin(by: Placed) -> Vector:
    """Return the original's position of a spawner, button or data zone. It is the foot of a spawner, the
    middle of the part of a button that agents touch, or the middle of a zone."""
    if by.kind.name == "DataZone":
        return by.position
    low = (0.0, -by.size[1] / 2, 0.0)
    return by.within(button_trigger(by.size).centre if by.kind.name == "SpawnerButton" else low)


def _cell(text: str) -> str:
    """Return a text of the file as one cell. The original does not quote: a comma would add a column."""
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def _yes(value: bool) -> str:
    return "Yes" if value else "No"


def _text(value: float | np.float32) -> str:
    """Return a number as the original's program writes it. Single precision, seven digits; 0 for noise."""
    return f"{float(np.float32(value)):.7G}" if abs(float(value)) > _ROUNDING else "0"
