"""Steps of many environments in one call, as long as nothing happens in them but that the agents drive."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from arena.action import ACTIONS, TICKS_PER_STEP
from arena.gym.env import ArenaEnv
from arena.gym.info import Info, Infos
from arena.gym.sensors import VECTOR_HIGH, VECTOR_LOW
from arena.kernel.parts import Parts, one_table
from arena.kernel.tables import BODY, CLOCK, PART
from arena.kernel.together import drive_all, feel_all, see_all
from arena.mechanisms import Stage
from arena.rays.rays import CAST_LENGTH, CAST_RADIUS
from arena.taskfile.versions import Version

Bools = npt.NDArray[np.bool_]
Whole = npt.NDArray[np.int64]

_MOST_PENDING = 1000
"""Steps after which the episodes of all environments are updated at the latest."""

_UNLIMITED = 2**62
"""More steps than any episode has."""


class QuietSteps:
    """Takes the quiet steps of a group of environments.

    Of the environments that are `held`, the kernel has the agents' states and the episodes lack the last
    steps; `release` gives them back.
    """

    def __init__(self, envs: Sequence[ArenaEnv]) -> None:
        count = len(envs)
        self._envs, sensors = envs, envs[0].sensors
        self._names, self._repeat, self._stack = sensors.quiet_names, envs[0].action_repeat, sensors.stack
        self._past: dict[str, npt.NDArray[np.float32]] = {}
        self.held: Bools = np.zeros(count, np.bool_)
        self._bodies, self._clocks = np.zeros((count, BODY)), np.zeros((count, CLOCK), np.float32)
        self.rewards, self._totals = np.zeros(count), np.zeros(count)
        self._marks, self._left = np.full(count, np.nan), np.zeros(count, np.int64)
        self._parts: list[Parts] = [np.empty(0, PART)] * count
        self._columns: list[Whole] = [np.empty(0, np.int64)] * count
        self._is_joined = False
        self._taken: list[Whole] = []
        self._since = [0] * count
        self._stages: list[Stage | None] = [None] * count
        self._infos: list[Infos] = [({}, {})] * count

    def hold(self, number: int) -> None:
        """Hold an environment if its next step may be quiet."""
        env = self._envs[number]
        stage = env.quiet_stage if self._names else None
        if stage is None:
            return
        episode, world = env.episode, stage.world
        agent, account = world.agents[0], stage.accounts[0]
        self._bodies[number], self._clocks[number] = agent.state, account.clock
        agent.state, account.clock = self._bodies[number], self._clocks[number]
        self._totals[number] = episode.total_reward
        self._marks[number] = np.nan if episode.spec.pass_mark is None else episode.spec.pass_mark
        self._left[number] = _UNLIMITED if env.max_steps is None else env.max_steps - env.steps
        self._parts[number] = world.parts
        if "rays" in self._names:
            self._columns[number] = env.sensors.rays(episode.spec.version).columns(world.things)
        for name, stacked in env.sensors.past.get(0, {}).items():
            self._past.setdefault(name, np.empty((len(self._envs), len(stacked)), np.float32))
            self._past[name][number] = stacked
        self._is_joined = False
        self._since[number], self._stages[number] = len(self._taken), stage
        self._infos[number] = env.quiet_infos
        self.held[number] = True

    def release(self, number: int) -> None:
        """Bring an environment's episode up to date, which then goes on by itself."""
        if not self.held[number]:
            return
        self.held[number] = False
        env, stage = self._envs[number], self._stages[number]
        assert stage is not None, "it is held"
        stage.world.agents[0].state = self._bodies[number].copy()
        stage.world.take_parts(self._parts[number])
        stage.accounts[0].clock = self._clocks[number].copy()
        env.sensors.past[0] = {name: stacked[number].copy() for name, stacked in self._past.items()}
        taken = [int(actions[number]) for actions in self._taken[self._since[number] :]]
        env.add_quiet_steps([ACTIONS[each] for each in taken], float(self._totals[number]))

    def release_all(self) -> None:
        """Bring all episodes up to date."""
        for number in np.flatnonzero(self.held).tolist():
            self.release(number)
        self._taken.clear()

    def step(self, actions: Whole) -> Bools:
        """Take a step, with an index into `arena.ACTIONS` for each, in the environments that are held and
        have a quiet step; return which have, and release the others. `rewards` are theirs."""
        if len(self._taken) >= _MOST_PENDING:
            held = self.held.copy()
            self.release_all()
            for number in np.flatnonzero(held).tolist():
                self.hold(number)
        if not self._is_joined:
            self._join()
        # The last step before the limit is an environment's own, which ends the episode.
        ready = self.held & (self._left > 1)
        drive_all(
            ready,
            self._bodies,
            self._clocks,
            self._table,
            self._ends,
            actions,
            self._repeat,
            TICKS_PER_STEP,
            self.rewards,
            self._totals,
        )
        for number in np.flatnonzero(self.held & ~ready).tolist():
            self.release(number)
        self._left -= ready
        self._taken.append(actions)
        return ready

    def observe(self, ready: Bools, rows: dict[str, npt.NDArray[np.float32]]) -> None:
        """Write the observations of those that are `ready` into `rows` (n, ...), by the sensor's name."""
        shapes = {name: (len(ready), past.shape[1] // self._stack) for name, past in self._past.items()}
        now = {name: np.empty(shape, np.float32) for name, shape in shapes.items()} or rows
        if "rays" in now:
            angles = self._envs[0].sensors.rays(Version.V3).turns
            table = (self._table, self._ends, angles, CAST_RADIUS, CAST_LENGTH, self._listed, self._list_ends)
            see_all(ready, self._bodies, *table, now["rays"])
        if "vector" in now:
            feel_all(ready, self._bodies, self._clocks, VECTOR_LOW, VECTOR_HIGH, now["vector"])
        for name, past in self._past.items():
            past[ready] = np.concatenate([past[ready][:, now[name].shape[1] :], now[name][ready]], axis=1)
            rows[name][ready] = past[ready]

    def infos(self) -> list[Info]:
        """The infos after a quiet step."""
        reached = (self._totals >= self._marks).tolist()
        return [infos[passed] for infos, passed in zip(self._infos, reached, strict=True)]

    def _join(self) -> None:
        """Join the tables of all environments, of which one has changed."""
        self._table = one_table(self._parts)
        self._ends = np.array([0, *accumulate(map(len, self._parts))])
        # Each goes on in its rows of the table, in which balls move.
        self._parts = np.split(self._table, self._ends[1:-1])
        self._listed = np.concatenate(self._columns)
        self._list_ends = np.array([0, *accumulate(map(len, self._columns))])
        self._is_joined = True
