"""An episode that a person plays by scripts, with the classes, words and pictures that a model gets."""

from arena import ACTIONS
from evaluation.suite import EpisodeSetup, Observation
from human_data.people.play.live import episode_of, finished, run_down, state_of
from human_data.people.play.wire import Open, Opened, Picture, Replied, Reply, Step, Stepped, Stop, Told
from llm_control.choices import ArenaChoices
from llm_control.environment import ArenaEnvironment, task_spec
from llm_control.notes import system_text
from llm_control.prompts import arena_prompts
from llm_control.suite import SUITE
from render import png


class LiveScripts:
    """Plays by the default protocol: the paper's initial pictures, 30 scripts, obvious slips mended.

    Raises LayoutError where the arena cannot be built, RenderError where no picture can be drawn.
    """

    def __init__(self, request: Open) -> None:
        self._game = request.game
        choices, self._prompts = ArenaChoices(seed=request.seed), arena_prompts()
        self._instructions = system_text(choices, self._prompts, 1)
        self._episode = episode_of(request)
        setup = EpisodeSetup(SUITE, task_spec(request.task), request.trial, choices, self._prompts)
        self._environment = ArenaEnvironment(setup, self._episode)
        self._told = [self._shown(self._environment.begin())]
        for text in request.scripts:
            if not self._episode.done:
                self._told.append(self._after(text))

    def opened(self) -> Opened:
        """The instructions, and the conversation so far."""
        state, recording = state_of(self._episode), finished(self._episode)
        return Opened(self._game, state, tuple(self._told), self._instructions, self._taken(), recording)

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

    def _after(self, text: str) -> Told:
        observation = self._environment.reply(text)
        turn = self._environment.turns[-1]
        return self._shown(observation)._replace(script=text, error=turn.error, steps=turn.steps)

    def _shown(self, observation: Observation) -> Told:
        """What a person sees next; at the end, how it ended, after the clock has run down as for a model."""
        words = [part for part in observation.parts if isinstance(part, str)]
        frames = [part for part in observation.parts if not isinstance(part, str)]
        if observation.done:
            words = [*words, self._environment.finish().summary]
        return Told("\n\n".join(words), tuple(Picture(png(frame)) for frame in frames))

    def _taken(self) -> tuple[int, ...]:
        return tuple(map(ACTIONS.index, self._episode.actions))
