"""An episode that a person plays with scripts: the same classes, texts and images as for a model."""

from evaluation.suite import EpisodeSetup, Observation
from llm_control.choices import ArenaChoices
from llm_control.environment import ArenaEnvironment
from llm_control.messages import system_text
from llm_control.prompts import arena_prompts
from llm_control.suite import SUITE, task_spec
from people.play.worker_episode import WorkerEpisode
from people.play.worker_protocol import LIMIT, Open, Played, ScriptTurn
from render import png


class ScriptEpisode(WorkerEpisode):
    """Plays by the default choices: the paper's initial images, 30 scripts, obvious slips corrected.

    Raises RenderError if it cannot be drawn.
    """

    def __init__(self, request: Open) -> None:
        super().__init__(request)
        choices, prompts = ArenaChoices(seed=request.seed), arena_prompts()
        self._instructions = system_text(choices, prompts, 1)
        setup = EpisodeSetup(SUITE, task_spec(request.task), request.trial, choices, prompts)
        self._environment = ArenaEnvironment(setup, self._episode)
        self._turns = [self._shown(self._environment.begin())]
        for text in request.scripts:
            if not self._episode.done:
                self._turns.append(self._turn_after(text))

    def opened(self) -> Played:
        """The instructions, and the conversation so far."""
        opened, actions = super().opened(), self._actions_since(0)
        return opened._replace(turns=tuple(self._turns), instructions=self._instructions, actions=actions)

    def reply(self, text: str) -> Played:
        """Play a script."""
        before = self._steps_played
        return self._played(before, self._turn_after(text))

    def _turn_after(self, script: str) -> ScriptTurn:
        observation = self._environment.reply(script)
        turn = self._environment.turns[-1]
        self._note(turn.events)
        shown = self._shown(observation)
        return shown._replace(script=script, error=turn.error, steps=turn.steps)

    def _shown(self, observation: Observation) -> ScriptTurn:
        """What the person sees next; at the end how it ended, after the clock ran down as for a model."""
        texts = [part for part in observation.parts if isinstance(part, str)]
        images = [png(part) for part in observation.parts if not isinstance(part, str)]
        if observation.done:
            self._break_off(LIMIT)
            texts.append(self._environment.finish().summary)
        return ScriptTurn("\n\n".join(texts), tuple(images))
