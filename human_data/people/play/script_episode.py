"""An episode that a person plays with scripts: the same classes, texts and images as for a model."""

from inspect_ai.model import ContentText

from arena import ACTIONS
from human_data.people.play.worker_episode import WorkerEpisode
from human_data.people.play.worker_protocol import Open, Opened, Reply, ScriptTurn, Step
from llm_control.conversation import Parts, first_content, turn_content
from llm_control.notes import system_text
from llm_control.observations import View, eye
from llm_control.play import Play
from llm_control.prompts import prompt_set
from llm_control.protocol import Protocol
from render import png


class ScriptEpisode(WorkerEpisode):
    """Plays by the default protocol: the paper's initial images, 30 scripts, obvious slips corrected.

    Raises RenderError if it cannot be drawn.
    """

    def __init__(self, request: Open) -> None:
        super().__init__(request)
        self._protocol = Protocol(seed=request.seed)
        self._prompts = prompt_set()
        sight = eye(self._protocol, request.task, (request.task,), request.trial)
        self._conversation = Play(self._episode, sight, self._protocol)
        self._turns = [self._first_turn()]
        for text in request.scripts:
            if self._conversation.wants_reply:
                self._turns.append(self._turn_after(text))

    def opened(self) -> Opened:
        """The instructions, and the conversation so far."""
        return (
            super()
            .opened()
            ._replace(
                turns=tuple(self._turns),
                instructions=system_text(self._protocol, self._prompts, 1),
                actions=tuple(map(ACTIONS.index, self._episode.actions)),
            )
        )

    def _play(self, request: Step | Reply) -> tuple[int, ScriptTurn | None]:
        if isinstance(request, Step):
            return 0, None
        before = self._episode.steps
        turn = self._turn_after(request.text)
        return self._episode.steps - before, turn

    def _first_turn(self) -> ScriptTurn:
        view = View(self._conversation.begin(), None)
        text = _text(first_content(self._protocol, self._prompts, self._episode.health, view))
        self._finish_if_over()
        return ScriptTurn(text, tuple(map(png, view.frames)))

    def _turn_after(self, script: str) -> ScriptTurn:
        turn = self._conversation.reply(script)
        if self._finish_if_over():
            recording = self._episode.recording()
            text = self._prompts.episode_end.fill(
                outcome=recording.outcome, total_reward=recording.total_reward
            )
            return ScriptTurn(text, (), script, turn.error, turn.steps)
        view = View((*self._conversation.along, self._conversation.frame()), None)
        text = _text(turn_content(self._protocol, self._prompts, turn, view))
        return ScriptTurn(text, tuple(map(png, view.frames)), script, turn.error, turn.steps)

    def _finish_if_over(self) -> bool:
        """Let the clock run down when no scripts are left, as for a model."""
        if not self._conversation.wants_reply:
            self._conversation.finish()
        return self._episode.done


def _text(parts: Parts) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, ContentText))
