"""Episodes: an arena, its clock and scores, and the only physics loop."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, cast

from arena import rules
from arena.action import TICKS_PER_STEP, Action
from arena.closing import Closing
from arena.errors import LayoutError
from arena.geometry.layout import Placer
from arena.geometry.placed import Layout, Placed
from arena.kernel.tables import Parts, Singles
from arena.mechanisms import Mechanism, Stage, start_mechanisms
from arena.physics.things import AgentBody
from arena.physics.world import World
from arena.recording import Recording, packed, software_versions, spec_sha256
from arena.rules import Account, Event, EventKind, Goals, Outcome
from arena.scene import Floats, Scene, Vector, local
from arena.science import Experiments, Seen
from arena.seeds import UnityRandom, chance_of
from arena.taskfile.config import ArenaSpec
from arena.taskfile.kind import Ends

if TYPE_CHECKING:
    from arena.laboratory import Laboratory


class TickObserver(Protocol):
    """Observer of an episode's ticks, set as its `observer`."""

    def before_tick(self, actions: Sequence[Action]) -> None:
        """Observe the start of a tick, with an action for each agent."""

    def after_tick(self, events: Sequence[Event]) -> None:
        """Observe the end of a tick. `events` are those of agent 0 in it."""


class AgentState:
    """Health, reward and pose of one agent; always up to date."""

    def __init__(
        self, account: Account, pass_mark: float | None, stages: Sequence[Stage], number: int
    ) -> None:
        """Observe agent `number` of the last of the `stages`."""
        self._account = account
        self._pass_mark = pass_mark
        self._stages, self._number = stages, number
        self._carried = 0.0
        self.total_reward = 0.0

    def take_reward(self) -> float:
        """Add the last step's reward to the total, and return it."""
        self.keep_reward()
        reward, self._carried = self._carried, 0.0
        self.total_reward += reward
        return reward

    def keep_reward(self) -> None:
        """Keep this step's reward so far while the account changes arenas."""
        self._carried += self._account.take_step_reward()

    @property
    def _body(self) -> AgentBody:
        return self._stages[-1].world.agents[self._number]

    @property
    def reward_so_far(self) -> float:
        """The total reward including the current step."""
        return self.total_reward + self._carried + self._account.step_reward

    @property
    def health(self) -> float:
        """Health, 0 to 100."""
        return float(self._account.health)

    @property
    def outcome(self) -> Outcome | None:
        """Reason for the episode's end for this agent. None while it is running."""
        return self._account.outcome

    @property
    def passed(self) -> bool | None:
        """True if the total reward reaches the pass mark. None without a pass mark."""
        return rules.passed(self.total_reward, self._pass_mark)

    @property
    def position(self) -> Vector:
        """Centre in metres, Animal-AI frame."""
        return self._body.position

    @property
    def velocity(self) -> Vector:
        """Velocity in m/s, Animal-AI frame."""
        return self._body.velocity

    @property
    def local_velocity(self) -> Vector:
        """Velocity in m/s in the agent's own frame: right, up, forward."""
        return local(self.velocity, self.yaw)

    def braked(self, action: Action) -> tuple[Vector, float]:
        """Return local velocity and yaw right after an action. The tick's physics follows."""
        velocity, yaw = self._body.braked(action)
        return local(velocity, yaw), yaw

    @property
    def yaw(self) -> float:
        """Heading in degrees, 0 to 360, clockwise from +z seen from above."""
        return self._body.yaw


Value = TypeVar("Value")


def _of_first(read: Callable[[AgentState], Value]) -> Value:
    """Return an episode's property that reads its agent 0."""
    return cast(Value, property(lambda episode: read(episode.agents[0])))


_BALL_EVENTS = (EventKind.GOOD_GOAL, EventKind.BAD_GOAL, EventKind.DECOY)


class StepResult(NamedTuple):
    """One agent's step result: reward, events, and whether the episode is over."""

    reward: float
    events: tuple[Event, ...]
    done: bool


class Episode(Closing):
    """An episode of an arena. A context manager; `close` frees the physics.

    All randomness comes from (`seed`, `task_id`, `trial`): with these and the same actions an episode is
    bit-identical in every process. An arena with `chance: unity` draws from Unity's generator with the seed
    `seed` + `trial`, or continues with `unity`; `unity_state` is its state at the start.

    With several agents, `step_all` takes an action for each. The properties `position`, `health` and so on
    are those of agent 0; `agents[k]` has those of agent k. `ticks` counts from the start of the episode.

    Raises LayoutError, naming the task, if the arena cannot be built.
    """

    def __init__(
        self,
        spec: ArenaSpec,
        *,
        task_id: str,
        seed: int = 0,
        trial: int = 0,
        unity: UnityRandom | None = None,
    ) -> None:
        self.spec = spec
        self.task_id = task_id
        self.seed, self.trial = seed, trial
        self.steps = self.ticks = 0
        self.observer: TickObserver | None = None
        self.merged = -1  # arenas entered after the first
        self.chance = chance_of(spec.chance, seed, task_id, trial, unity)
        unity = self.chance.unity
        self.unity_state = None if unity is None else unity.state
        self._accounts: list[Account] = []
        self._laboratory: Laboratory | None = None
        self._stages = [self._enter(spec)]
        self.layout = self._stage.world.layout
        self.agents = tuple(
            AgentState(account, spec.pass_mark, self._stages, number)
            for number, account in enumerate(self._accounts)
        )
        self._actions: list[list[Action]] = [[] for _ in self.agents]

    @property
    def _stage(self) -> Stage:
        return self._stages[-1]

    def _enter(self, spec: ArenaSpec) -> Stage:
        """Build an arena; existing accounts of the agents continue in it."""
        self.merged += 1
        placer = Placer(spec.version, self.chance)
        try:
            layout = placer.layout(spec)
            self.chance.restart(spec.random_seed)
            if spec.question:
                from arena.laboratory import with_thresholds

                layout = with_thresholds(layout)
            if self._accounts and len(layout.agents) != len(self._accounts):
                raise LayoutError(
                    f"the merged arena has {len(layout.agents)} agents, the one before {len(self._accounts)}"
                )
            return self._staged(spec, layout, placer)
        except LayoutError as error:
            raise LayoutError(f"{self.task_id}: {error}") from None

    def _staged(self, spec: ArenaSpec, layout: Layout, placer: Placer) -> Stage:
        goals = Goals(layout.things, spec.version)
        for account in self._accounts:
            # As in the original, a merged arena neither changes the clock nor forgets the balls eaten before.
            account.enter(self.spec.time_limit, goals)
            goals.eaten = self._stage.goals.eaten
        self._accounts = self._accounts or [Account(spec.time_limit, goals) for _ in layout.agents]
        stage = Stage(spec, World(layout), goals, self._accounts, placer, self.chance)
        start_mechanisms(layout, stage)
        self._laboratory = None
        if spec.question:
            from arena.laboratory import Laboratory

            self._laboratory = Laboratory(spec.question, self.seed, self.task_id, self.trial, stage)
        return stage

    def step(self, action: Action) -> StepResult:
        """Take a step of 3 ticks (0.06 s). The episode may end after fewer. Raises RuntimeError if the
        episode is over, and LayoutError if there are several agents."""
        if len(self.agents) > 1:
            raise LayoutError(
                f"{self.task_id}: the arena has {len(self.agents)} agents, expected one; for several use "
                "step_all or arena.gym.parallel_env"
            )
        return self.step_all((action,))[0]

    def step_all(self, actions: Sequence[Action]) -> tuple[StepResult, ...]:
        """Take a step with an action per agent, in item order."""
        if self.done:
            raise RuntimeError("the episode is over; make a new one")
        events: list[list[Event]] = [[] for _ in self.agents]
        for taken, action in zip(self._actions, actions, strict=True):
            taken.append(action)
        over, left = False, TICKS_PER_STEP
        while left and not over:
            uneventful = 0 if self.observer else self._stage.drive_uneventful(actions[0], left)
            self.ticks, left = self.ticks + uneventful, left - uneventful
            if left and not uneventful:
                if self.observer:
                    self.observer.before_tick(actions)
                known = len(events[0])
                over, left = self._tick(actions, events), left - 1
                if self.observer:
                    self.observer.after_tick(events[0][known:])
        self.steps += 1
        return tuple(
            StepResult(agent.take_reward(), tuple(seen), over)
            for agent, seen in zip(self.agents, events, strict=True)
        )

    def lend(self, body: Floats, clock: Singles) -> Parts | None:
        """Lend the agent if the next tick may be uneventful, else None. See `Stage.lend`."""
        return self._stage.lend(body, clock) if self.observer is None and self._stage.is_uneventful else None

    def take_back(self, parts: Parts, actions: Sequence[Action], total_reward: float) -> None:
        """Continue after actions that were taken elsewhere. `total_reward` is the new one."""
        self._actions[0] += actions
        self.steps += len(actions)
        ticks = TICKS_PER_STEP * len(actions)
        self.ticks += ticks
        self._stage.take_back(parts, ticks)
        self.agents[0].total_reward = total_reward

    def _tick(self, actions: Sequence[Action], events: list[list[Event]]) -> bool:
        """Simulate a tick: clock, mechanisms, drive, physics, contacts, zones; return whether it is last."""
        stage = self._stage
        self.ticks += 1
        stage.tick += 1
        paused = stage.idle(stage.paused_until)
        for account, still in zip(self._accounts, paused, strict=True):
            if not still:
                account.decay()
        if self._is_over():
            return True
        if stage.mechanisms:
            self._run(tuple(stage.mechanisms), events)
            if self._is_over():
                return True
        touches = stage.world.advance(actions, stage.idle(stage.frozen_until), eats=not any(paused))
        for number, (account, touched) in enumerate(zip(self._accounts, touches, strict=True)):
            if not paused[number]:
                happened = account.apply_contacts(stage.tick, touched.goals, touched.zones)
                if happened:
                    self._remove_eaten(happened)
                    events[number] += happened
        if stage.zones:
            self._run((stage.zones,), events)
        if self._laboratory:
            self._run((self._laboratory,), events)
        return self._is_over()

    def _run(self, mechanisms: Iterable[Mechanism], events: list[list[Event]]) -> None:
        for mechanism in mechanisms:
            happened = tuple(mechanism.act(self._stage))
            for seen in events:
                seen += happened

    def _remove_eaten(self, happened: Iterable[Event]) -> None:
        """Remove eaten balls. Those that end an episode stay for the other agents."""
        for event in happened:
            lasts = self._stage.goals.placed(event.thing).kind.ends is Ends.ALWAYS
            if event.kind in _BALL_EVENTS and not lasts:
                self._stage.world.remove(event.thing)

    def _is_over(self) -> bool:
        """Return whether the episode is over. Enters the next arena if arenas are merged."""
        accounts = self._accounts
        ended = len([account for account in accounts if account.outcome is not None])
        if not ended or (ended < len(accounts) and self._stage.spec.episode_end == "all"):
            return False
        if self._stage.merges(agent.reward_so_far for agent in self.agents):
            for agent in self.agents:
                agent.keep_reward()
            assert self._stage.spec.then is not None
            self._stages[-1] = self._enter(self._stage.spec.then)
            return False
        for account in accounts:
            account.outcome = account.outcome or Outcome.OTHER_AGENT
        return True

    def stop(self) -> None:
        """End the episode from outside; does nothing if it is over."""
        for account in self._accounts:
            account.outcome = account.outcome or Outcome.STOPPED

    @property
    def done(self) -> bool:
        """True if the episode is over."""
        return not [account for account in self._accounts if account.outcome is None]

    outcome = _of_first(lambda agent: agent.outcome)
    """Reason for the episode's end; None while it is running."""
    health = _of_first(lambda agent: agent.health)
    """Health, 0 to 100."""
    total_reward = _of_first(lambda agent: agent.total_reward)
    """Sum of the rewards of all steps."""
    passed = _of_first(lambda agent: agent.passed)
    """True if the total reward reaches the pass mark. None without a pass mark."""
    position = _of_first(lambda agent: agent.position)
    """Centre of the agent in metres, Animal-AI frame."""
    velocity = _of_first(lambda agent: agent.velocity)
    """Velocity of the agent in m/s, Animal-AI frame."""
    yaw = _of_first(lambda agent: agent.yaw)
    """Heading in degrees, 0 to 360, clockwise from +z seen from above."""

    @property
    def frozen(self) -> bool:
        """True if agent 0's actions have no effect in the next tick."""
        return self._stage.tick + 1 <= self._stage.frozen_until[0]

    @property
    def spawned(self) -> list[tuple[Placed | None, Placed]]:
        """Things added to the arena, with their spawner, button or data zone."""
        return self._stage.spawned

    @property
    def experiments(self) -> Experiments:
        """Experiments in the current arena, and the number of the opened door."""
        return self._laboratory.experiments if self._laboratory else Experiments()

    def show(self, seen: Seen) -> None:
        """Show an outcome in a laboratory arena without an experiment."""
        assert self._laboratory is not None
        self._laboratory.show(self._stage, seen)

    @property
    def lights_on(self) -> bool:
        """True if the lights are on, so that agents see something."""
        return rules.lights_on(self._stage.spec.blackouts, self._stage.tick)

    @property
    def speed(self) -> float:
        """Speed of the agent in m/s."""
        return math.hypot(*self.velocity)

    @property
    def actions(self) -> tuple[Action, ...]:
        """All actions of agent 0 so far."""
        return tuple(self._actions[0])

    def scene(self, agent: int = 0) -> Scene:
        """Return the current scene as an agent's camera sees it."""
        return self._stage.world.scene(agent, self.lights_on)

    def recording(self) -> Recording:
        """Return a recording of the episode so far, for storage and replay."""
        return Recording(
            task_id=self.task_id,
            seed=self.seed,
            trial=self.trial,
            spec_sha256=spec_sha256(self.spec),
            unity=self.unity_state,
            actions=packed(self._actions[0]),
            others=tuple(packed(taken) for taken in self._actions[1:]),
            steps=self.steps,
            total_reward=self.total_reward,
            health=self.health,
            outcome=self.outcome,
            passed=self.passed if self.done else None,
            versions=software_versions(),
        )

    def close(self) -> None:
        """Do nothing; for callers that close what they open."""
