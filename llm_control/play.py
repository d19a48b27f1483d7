"""An episode as a conversation sees it: pictures out, replies in. No model and no provider here."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from arena import IDLE, Action, Episode, Event, Recording
from llm_control.protocol import Protocol
from llm_control.script import Script, ScriptSyntaxError, parse
from render import Frame, Renderer

SAFETY_STEPS = 20_000
"""Steps after which an arena without a time limit is stopped; the longest clocked one has 1667."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply and what came of it; state values are those after its last step.

    `position` in metres, `yaw` in degrees, `speed` in m/s, `health` 0 to 100, `reward` of this turn.
    `error` is what the model is told of a reply that was no script; it then cost one idle step.
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

    def as_dict(self) -> dict[str, object]:
        """Plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """A finished episode: its turns, and the recording that replays it."""

    turns: tuple[Turn, ...]
    recording: Recording

    def as_dict(self) -> dict[str, object]:
        """Plain values, ready for JSON."""
        return {
            "turns": [turn.as_dict() for turn in self.turns],
            "recording": self.recording.model_dump(mode="json"),
        }


class Play:
    """Plays one episode by scripts."""

    def __init__(self, episode: Episode, renderer: Renderer | None, protocol: Protocol) -> None:
        self.episode = episode
        self.turns: list[Turn] = []
        self._renderer = renderer
        self._protocol = protocol

    @property
    def wants_reply(self) -> bool:
        """Whether the model is asked again."""
        return not self.episode.done and len(self.turns) < self._protocol.max_scripts

    def begin(self) -> tuple[Frame, ...]:
        """The idle steps before the first script, with a picture after each group but the last.

        Without such steps there is one picture; without a renderer there is none.
        """
        frames = []
        groups = self._protocol.initial_idle_steps
        for number, steps in enumerate(groups, start=1):
            self._run([IDLE] * steps)
            if number < len(groups) and self._renderer:
                frames.append(self.frame())
        return tuple(frames) or ((self.frame(),) if self._renderer else ())

    def frame(self) -> Frame:
        """What the agent sees now, uint8 (image_size, image_size, 3); a renderer must have been given."""
        assert self._renderer is not None, "this play has no renderer"
        return self._renderer.frame(self.episode.scene())

    def reply(self, text: str) -> Turn:
        """Play one reply to its end or the episode's, and note what came of it."""
        before = self.episode.total_reward, self.episode.steps
        error: str | None = None
        script = Script(())
        try:
            script = parse(text, strict=self._protocol.strict)
            events = self._run(script.actions())
        except ScriptSyntaxError as problem:
            error = problem.feedback
            events = self._run([IDLE])
        turn = self._turn(text, script, error, events, *before)
        self.turns.append(turn)
        return turn

    def finish(self) -> EpisodeRecord:
        """Let the clock run down where the model is not asked any more, and close the episode."""
        while not self.episode.done and self.episode.spec.time_limit and self.episode.steps < SAFETY_STEPS:
            self.episode.step(IDLE)
        self.episode.stop()
        record = EpisodeRecord(tuple(self.turns), self.episode.recording())
        self.episode.close()
        return record

    def _run(self, actions: Iterable[Action]) -> tuple[Event, ...]:
        events: list[Event] = []
        for action in actions:
            if self.episode.done:
                break
            if self.episode.steps >= SAFETY_STEPS:
                self.episode.stop()
                break
            events += self.episode.step(action).events
        return tuple(events)

    def _turn(
        self,
        text: str,
        script: Script,
        error: str | None,
        events: tuple[Event, ...],
        reward: float,
        steps: int,
    ) -> Turn:
        episode = self.episode
        return Turn(
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
