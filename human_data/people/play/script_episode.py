"""An episode that a person plays with scripts: the same classes, texts and images as for a model."""

from inspect_ai.model import ContentText

from arena import ACTIONS
from human_data.people.play.worker_episode import episode_of, recording_of, run_down, state_of
from human_data.people.play.worker_protocol import Open, Opened, Reply, ScriptTurn, Step, Stepped, Stop
from llm_control.conversation import Parts, first_content, turn_content
from llm_control.notes import system_text
from llm_control.observations import View, eye
from llm_control.play import Play
from llm_control.prompts import prompt_set
from llm_control.protocol import Protocol
from render import Frame, png


class ScriptEpisode:
    """Plays by the default protocol: the paper's initial images, 30 scripts, obvious slips corrected.

    Raises LayoutError if the arena cannot be built, RenderError if it cannot be drawn.
    """

    def __init__(self, request: Open) -> None:
        self._number = request.episode
        self._protocol = Protocol(seed=request.seed)
        self._prompts = prompt_set()
        self._episode = episode_of(request)
        sight = eye(self._protocol, request.task, (request.task,), request.trial)
        self._play = Play(self._episode, sight, self._protocol)
        self._turns = [self._first_turn()]
        for text in request.scripts:
            if self._play.wants_reply:
                self._turns.append(self._turn_after(text))

    def opened(self) -> Opened:
        """The instructions, and the conversation so far."""
        instructions = system_text(self._protocol, self._prompts, 1)
        state, recording = state_of(self._episode), recording_of(self._episode)
        return Opened(self._number, state, tuple(self._turns), instructions, self._actions(), recording)

    def answer(self, request: Step | Reply | Stop) -> Stepped:
        """Play a script, or end the episode; single steps are not taken here."""
        before, turn = self._episode.steps, None
        if isinstance(request, Reply):
            turn = self._turn_after(request.text)
        else:
            run_down(self._episode)
        actions = self._actions()[before:]
        idle = 0 if turn else len(actions)
        recording = recording_of(self._episode)
        return Stepped(self._number, state_of(self._episode), actions, idle, recording, turn)

    def close(self) -> None:
        """Free the physics."""
        self._episode.close()

    def _first_turn(self) -> ScriptTurn:
        view = View(self._play.begin(), None)
        text = _text(first_content(self._protocol, self._prompts, self._episode.health, view))
        self._finish_if_over()
        return ScriptTurn(text, _images(view.frames))

    def _turn_after(self, script: str) -> ScriptTurn:
        turn = self._play.reply(script)
        if self._finish_if_over():
            recording = self._episode.recording()
            text = self._prompts.episode_end.fill(
                outcome=recording.outcome, total_reward=recording.total_reward
            )
            return ScriptTurn(text, (), script, turn.error, turn.steps)
        view = View((*self._play.along, self._play.frame()), None)
        text = _text(turn_content(self._protocol, self._prompts, turn, view))
        return ScriptTurn(text, _images(view.frames), script, turn.error, turn.steps)

    def _finish_if_over(self) -> bool:
        """Let the clock run down when no scripts are left, as for a model."""
        if not self._play.wants_reply:
            self._play.finish()
        return self._episode.done

    def _actions(self) -> tuple[int, ...]:
        return tuple(map(ACTIONS.index, self._episode.actions))


def _text(parts: Parts) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, ContentText))


def _images(frames: tuple[Frame, ...]) -> tuple[bytes, ...]:
    return tuple(map(png, frames))
