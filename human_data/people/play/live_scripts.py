"""An episode that a person plays by scripts, with the classes, words and pictures that a model gets."""

from inspect_ai.model import ContentText

from arena import ACTIONS
from human_data.people.play.live import episode_of, finished, run_down, state_of
from human_data.people.play.wire import Open, Opened, Picture, Replied, Reply, Step, Stepped, Stop, Told
from llm_control.choices import Protocol
from llm_control.conversation import Parts, first_content, turn_content
from llm_control.notes import system_text
from llm_control.observations import View, eye
from llm_control.play import Play
from llm_control.prompts import prompt_set
from render import png


class LiveScripts:
    """Plays by the default protocol: the paper's initial pictures, 30 scripts, obvious slips mended.

    Raises LayoutError where the arena cannot be built, RenderError where no picture can be drawn.
    """

    def __init__(self, request: Open) -> None:
        self._game = request.game
        self._protocol = Protocol(seed=request.seed)
        self._prompts = prompt_set()
        self._episode = episode_of(request)
        sight = eye(self._protocol, request.task, (request.task,), request.trial)
        self._play = Play(self._episode, sight, self._protocol)
        self._told = [self._start()]
        for text in request.scripts:
            if self._play.wants_reply:
                self._told.append(self._after(text))

    def opened(self) -> Opened:
        """The instructions, and the conversation so far."""
        instructions = system_text(self._protocol, self._prompts, 1)
        state, recording = state_of(self._episode), finished(self._episode)
        return Opened(self._game, state, tuple(self._told), instructions, self._taken(), recording)

    def answer(self, request: Step | Reply | Stop) -> Replied | Stepped:
        """Play a script, or end the episode; steps are not taken singly here."""
        before = self._episode.steps
        if not isinstance(request, Reply):
            run_down(self._episode)
            idle = self._episode.steps - before
            return Stepped(self._game, state_of(self._episode), 0, idle, finished(self._episode))
        told = self._after(request.text)
        actions = self._taken()[before:]
        return Replied(self._game, state_of(self._episode), actions, told, finished(self._episode))

    def close(self) -> None:
        """Free the physics."""
        self._episode.close()

    def _start(self) -> Told:
        view = View(self._play.begin(), None)
        words = _words(first_content(self._protocol, self._prompts, self._episode.health, view))
        self._finish_if_over()
        return Told(words, tuple(Picture(png(frame)) for frame in view.frames))

    def _after(self, text: str) -> Told:
        turn = self._play.reply(text)
        if self._finish_if_over():
            recording = self._episode.recording()
            words = self._prompts.episode_end.fill(
                outcome=recording.outcome, total_reward=recording.total_reward
            )
            return Told(words, (), text, turn.error, turn.steps)
        view = View((*self._play.along, self._play.frame()), None)
        words = _words(turn_content(self._protocol, self._prompts, turn, view))
        return Told(words, tuple(Picture(png(frame)) for frame in view.frames), text, turn.error, turn.steps)

    def _finish_if_over(self) -> bool:
        """Let the clock run down where no script is left, as it does for a model."""
        if not self._play.wants_reply:
            self._play.finish()
        return self._episode.done

    def _taken(self) -> tuple[int, ...]:
        return tuple(map(ACTIONS.index, self._episode.actions))


def _words(parts: Parts) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, ContentText))
