"""Scripted episodes: pictures out, replies in, independent of models and providers."""

from collections import deque
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from arena import IDLE, Action, Episode, Event, Recording
from arena.rules import SAFETY_STEPS
from evaluation.script import ScriptSyntaxError
from evaluation.suite import ModelEnd
from llm_control.choices import ArenaChoices
from llm_control.observations import Eye, opening_steps, steps_along
from llm_control.script import DEGREES_PER_STEP, Go, Script, Think, parse, parse_move
from render import Frame

if TYPE_CHECKING:
    from evaluation.script.laboratory import Reply

Movement = tuple[tuple[bool, int], ...]
"""Movement of a reply: driving or not, and signed steps, per command."""


def objection(script: Script, choices: ArenaChoices) -> str | None:
    """Explain to the model why the choices forbid a script; otherwise None."""
    commands = [command for command in script.commands if not isinstance(command, Think)]
    if choices.one_step and (len(commands) != 1 or commands[0].steps != 1):
        got = "no command" if not commands else " ".join(map(str, commands[:3]))
        return (
            f"Got {got}, expected one command of one step: "
            f"Go(1); Go(-1); Turn({DEGREES_PER_STEP}); or Turn(-{DEGREES_PER_STEP});"
        )
    thought = sum(map(len, script.thoughts))
    if choices.thought_chars == 0 and script.thoughts:
        return "Think is not allowed in this episode; write the other commands only."
    if choices.thought_chars is not None and thought > choices.thought_chars:
        return f"The thoughts have {thought} characters together, {choices.thought_chars} are allowed."
    return None


def movement(script: Script) -> Movement:
    """Extract a script's movement, without thoughts and turns below one step."""
    return tuple(
        (isinstance(c, Go), c.steps if (c.amount if isinstance(c, Go) else c.degrees) > 0 else -c.steps)
        for c in script.commands
        if not isinstance(c, Think) and c.steps
    )


def loops(movements: Sequence[Movement], turns: int) -> bool:
    """Return whether the last `turns` replies move alike, or alternate between two."""
    last = movements[-turns:]
    return len(last) == turns and all(one == other for one, other in zip(last, last[2:], strict=False))


class Stated(NamedTuple):
    """Belief about a laboratory arena's doors, requested after some `experiments`. `posterior` (d,) are the
    exact probabilities, `belief` (d,) the stated ones; None if they are missing."""

    experiments: int
    posterior: tuple[float, ...]
    belief: tuple[float, ...] | None = None
    kind: str = "predict"


class TurnRecord(NamedTuple):
    """Reply with its result; state values are those after its last step.

    `position` in metres, `yaw` in degrees, `speed` in m/s, `health` 0 to 100, `reward` of this turn. `error`
    is the message to the model about an invalid script, which costs one idle step. A requested belief has
    `stated`; it takes no step, and its error is not shown.
    """

    turn: int
    reply: str
    thoughts: tuple[str, ...]
    repairs: tuple[str, ...]
    error: str | None
    steps: int
    health: float
    reward: float
    total_reward: float
    position: tuple[float, float, float]
    yaw: float
    speed: float
    events: tuple[Event, ...]
    lights: bool
    done: bool
    outcome: str | None
    stated: Stated | None = None

    def as_dict(self) -> dict[str, object]:
        """Convert to plain values, ready for JSON, including any `stated`."""
        plain = self._asdict() | {"events": tuple(event.as_dict() for event in self.events)}
        stated: Stated | None = plain.pop("stated")
        return plain | (stated._asdict() if stated else {})


class ScriptedEpisode:
    """Plays one episode by scripts."""

    def __init__(self, episode: Episode, eye: Eye | None, choices: ArenaChoices) -> None:
        self.episode = episode
        self.turns: list[TurnRecord] = []
        self.along: tuple[Frame, ...] = ()
        """Pictures along the last script, if chosen, without the final one."""
        self.first_health = episode.health
        """Health at the first picture before the first script."""
        self._last: deque[Script | None] = deque(maxlen=2)
        self._eye = eye
        self._choices = choices
        self._movements: list[Movement] = []

    @property
    def scripts(self) -> int:
        """Number of replies so far that were scripts, or should have been."""
        return len(self._movements)

    @property
    def step_health(self) -> float:
        """Health after a reply's last step, at first the first picture's."""
        return self.episode.health if any(turn.steps for turn in self.turns) else self.first_health

    @property
    def wants_reply(self) -> bool:
        """Return whether the model is asked again."""
        return self.model_end is ModelEnd.SOLVER

    @property
    def model_end(self) -> ModelEnd:
        """Reason for the end of the model's part. SOLVER if it may continue."""
        limit, loop = self._choices.max_scripts, self._choices.loop_turns
        if self.episode.done:
            return ModelEnd.EPISODE
        if limit is not None and self.scripts >= limit:
            return ModelEnd.MAX_SCRIPTS
        if loop is not None and loops(self._movements, loop):
            return ModelEnd.LOOP
        return ModelEnd.SOLVER

    def begin(self) -> tuple[Frame, ...]:
        """Take the idle steps before the first script; return their pictures."""
        frames, at = [], 0
        for step in opening_steps(self._choices):
            self._run([IDLE] * (step - at))
            if not at:
                self.first_health = self.episode.health
            at = step
            if self._eye:
                frames.append(self.frame())
        self._run([IDLE] * (sum(self._choices.initial_idle_steps) - at))
        return tuple(frames)

    def frame(self) -> Frame:
        """Draw the agent's view, uint8 (image_size, image_size, 3); needs an eye."""
        assert self._eye is not None, "this episode has no eye"
        return self._eye(self.episode.scene())

    def reply(self, text: str) -> TurnRecord:
        """Play one reply to its end or the episode's, and record it."""
        try:
            read = parse_move if self._choices.commands == "moves" else parse
            script = read(text, strict=self._choices.strict)
        except ScriptSyntaxError as problem:
            return self.refuse(text, problem.feedback)
        return self.play(text, script)

    def play(self, text: str, script: Script) -> TurnRecord:
        """Play a script if the choices allow it; `text` is the reply."""
        if (problem := objection(script, self._choices)) is not None:
            return self.refuse(text, problem)
        self._movements.append(movement(script))
        self._last.append(script)
        return self._turn(text, script, script.actions(), None)

    def act(self, text: str, actions: Iterable[Action]) -> TurnRecord:
        """Take actions outside scripts in order; `text` names the agent."""
        self._movements.append(())
        return self._turn(text, Script(()), actions, None)

    def refuse(self, text: str, problem: str) -> TurnRecord:
        """Idle for one step after an invalid reply. `problem` is the message to the model."""
        self._movements.append(())
        self._last.append(None)
        return self._turn(text, Script(()), [IDLE], problem)

    def believe(self, text: str, read: "Reply", stated: Stated) -> None:
        """Record a reply that states a belief, or should."""
        turn = self._turn(text, Script(()), (), read.problem)
        self.turns[-1] = turn._replace(thoughts=read.thoughts, repairs=read.repairs, stated=stated)

    def finish(self) -> tuple[tuple[TurnRecord, ...], ModelEnd, Recording]:
        """Run the clock down after the model's part, and end the episode."""
        end = self.model_end
        rest = self._rest(end)
        while not self.episode.done and self.episode.spec.time_limit and self.episode.steps < SAFETY_STEPS:
            self.episode.step(next(rest))
        self.episode.stop()
        return tuple(self.turns), end, self.episode.recording()

    def _rest(self, end: ModelEnd) -> Iterator[Action]:
        """Yield actions after the model's part: idling, or its endless loop."""
        again = end is ModelEnd.LOOP and self._choices.after_loop == "repeat"
        while again and any(script is None or script.steps for script in self._last):
            for script in self._last:
                yield from script.actions() if script is not None else (IDLE,)
        while True:
            yield IDLE

    def _run(self, actions: Iterable[Action], pictures: Container[int] = ()) -> tuple[Event, ...]:
        """Take actions until the episode ends, with pictures after the steps `pictures`."""
        events: list[Event] = []
        along: list[Frame] = []
        for step, action in enumerate(actions, start=1):
            if self.episode.done:
                break
            if self.episode.steps >= SAFETY_STEPS:
                self.episode.stop()
                break
            events += self.episode.step(action).events
            if step in pictures:
                along.append(self.frame())
        self.along = tuple(along)
        return tuple(events)

    def _turn(self, text: str, script: Script, actions: Iterable[Action], error: str | None) -> TurnRecord:
        episode = self.episode
        reward, steps = episode.total_reward, episode.steps
        events = self._run(actions, steps_along(self._choices, script.steps) if self._eye else ())
        turn = TurnRecord(
            turn=len(self.turns) + 1,
            reply=text,
            thoughts=script.thoughts,
            repairs=tuple(str(repair) for repair in script.repairs),
            error=error,
            steps=episode.steps - steps,
            health=episode.health,
            reward=episode.total_reward - reward,
            total_reward=episode.total_reward,
            position=episode.position,
            yaw=episode.yaw,
            speed=episode.speed,
            events=events,
            lights=episode.lights_on,
            done=episode.done,
            outcome=str(episode.outcome) if episode.outcome else None,
        )
        self.turns.append(turn)
        return turn
