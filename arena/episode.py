"""One episode: an arena, a clock and a score; the only loop over the physics."""

import math
from importlib.metadata import version
from types import TracebackType
from typing import NamedTuple, Self

from arena import rules
from arena.action import Action
from arena.config import ArenaSpec
from arena.errors import LayoutError
from arena.layout import Layout, episode_rng, resolve
from arena.recording import Recording, packed, spec_sha256
from arena.rules import Account, Event, Outcome
from arena.scene import Scene, Vector
from arena.world import TICK_S, World


class StepResult(NamedTuple):
    """What one step brought: its reward, what happened in it, and whether the episode is over."""

    reward: float
    events: tuple[Event, ...]
    done: bool


class Episode:
    """An episode of an arena, from its start to its end.

    Everything random comes from (`seed`, `task_id`, `trial`): the same three values and the same actions
    give the same bits in every process. A context manager; `close` frees the physics.

    Raises LayoutError where the arena cannot be built.
    """

    def __init__(self, spec: ArenaSpec, *, task_id: str, seed: int = 0, trial: int = 0) -> None:
        self.spec = spec
        self.task_id = task_id
        self.seed = seed
        self.trial = trial
        self.steps = 0
        self.ticks = 0
        self.total_reward = 0.0
        self.rng = episode_rng(seed, task_id, trial)
        try:
            self.layout: Layout = resolve(spec, self.rng)
        except LayoutError as error:
            raise LayoutError(f"{task_id}: {error}") from None
        self._world = World(self.layout)
        self._account = Account(spec.time_limit, self.layout.things)
        self._actions: list[Action] = []

    def step(self, action: Action) -> StepResult:
        """One step of 3 ticks (0.06 s); an end in the middle of it cuts it short.

        Raises RuntimeError after the end: an episode is not restarted.
        """
        if self.done:
            raise RuntimeError("the episode is over; make a new one")
        self._actions.append(action)
        events: list[Event] = []
        for _ in range(rules.TICKS_PER_STEP):
            events += self._tick(action)
            if self.done:
                break
        self.steps += 1
        reward = self._account.take_step_reward()
        self.total_reward += reward
        return StepResult(reward, tuple(events), self.done)

    def _tick(self, action: Action) -> tuple[Event, ...]:
        """Order of one tick: the clock, the agent's drive and the physics, then what was touched."""
        self.ticks += 1
        frozen = self.ticks * TICK_S <= self.layout.agent.frozen_s
        if not frozen:
            self._account.decay()
            if self.done:
                return ()
        touches = self._world.advance(action, frozen)
        if frozen:
            return ()
        events = self._account.settle(self.ticks, touches.goals, touches.zones)
        for event in events:
            if event.kind is rules.EventKind.GOOD_GOAL:
                self._world.remove(event.thing)
        return events

    def stop(self) -> None:
        """End the episode from outside; does nothing where it is over."""
        if not self.done:
            self._account.outcome = Outcome.STOPPED

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self._account.done

    @property
    def outcome(self) -> Outcome | None:
        """Why the episode ended; None while it goes on."""
        return self._account.outcome

    @property
    def health(self) -> float:
        """0 to 100, as the agent is told it."""
        return float(self._account.health)

    @property
    def passed(self) -> bool | None:
        """Whether the total reward so far reaches the pass mark; None for an arena without one."""
        return rules.passed(self.total_reward, self.spec.pass_mark)

    @property
    def lights_on(self) -> bool:
        """Whether the agent sees anything now."""
        return rules.lights_on(self.spec.blackouts, self.ticks)

    @property
    def position(self) -> Vector:
        """Centre of the agent in metres, Animal-AI frame."""
        return self._world.agent_position

    @property
    def velocity(self) -> Vector:
        """Velocity of the agent in m/s, Animal-AI frame."""
        return self._world.agent_velocity

    @property
    def local_velocity(self) -> Vector:
        """Velocity of the agent in m/s in its own frame: right, up, forward."""
        x, y, z = self.velocity
        yaw = math.radians(self.yaw)
        sin, cos = math.sin(yaw), math.cos(yaw)
        return (x * cos - z * sin, y, x * sin + z * cos)

    @property
    def speed(self) -> float:
        """Speed of the agent in m/s."""
        x, y, z = self.velocity
        return float((x * x + y * y + z * z) ** 0.5)

    @property
    def yaw(self) -> float:
        """Heading in degrees, 0 to 360, clockwise from +z seen from above."""
        return self._world.agent_yaw

    @property
    def actions(self) -> tuple[Action, ...]:
        """Every action so far, in order."""
        return tuple(self._actions)

    def scene(self) -> Scene:
        """What there is to see now."""
        return self._world.scene(self.lights_on)

    def recording(self) -> Recording:
        """The episode so far, as it can be stored and replayed."""
        return Recording(
            task_id=self.task_id,
            seed=self.seed,
            trial=self.trial,
            spec_sha256=spec_sha256(self.spec),
            actions=packed(self._actions),
            steps=self.steps,
            total_reward=self.total_reward,
            health=self.health,
            outcome=self.outcome,
            passed=self.passed if self.done else None,
            versions=software_versions(),
        )

    def close(self) -> None:
        """Free the physics engine's memory; position and score stay readable."""
        self._world.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def software_versions() -> dict[str, str]:
    """Versions of what decides an episode's bits."""
    import platform

    from arena.bullet import bullet

    return {
        "arena-llm": version("arena-llm"),
        "bullet": str(bullet.getAPIVersion()),
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
