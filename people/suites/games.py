"""Everyone who plays a suite on this server. All calls come from the one thread of the store."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from arena.errors import ConfigError
from evaluation.by_hand.form import Form, Values
from evaluation.by_hand.played import PlayedEpisode
from evaluation.capabilities import form_of
from evaluation.image_format import data_uri, encoded
from evaluation.prompts import PromptSet
from evaluation.suite import EpisodeSetup, Observation, Record, Suite, TaskSpec
from people.store import Participant, Store, Trial
from people.store.tables import Reply


class Game:
    """An episode in progress, begun or, with the replies so far, rebuilt.

    Raises ArenaError if the suite cannot play it.
    """

    def __init__(self, setup: EpisodeSetup, trial: Trial, replies: tuple[str, ...] = ()) -> None:
        self.setup, self.trial = setup, trial
        self.record: Record | None = None
        self.turns: list[dict[str, Any]] = []
        self._unstored: list[Reply] = []
        self._form: Form | None = None
        self.help = ""
        self._stored = self._stopped = False
        self._environment = setup.suite.open(setup)
        try:
            self._show(None, self._environment.begin())
            for reply in replies:
                if self.record is None:
                    self._show(reply, self._environment.reply(reply))
        except BaseException:
            self._environment.close()
            raise

    @property
    def form(self) -> Form | None:
        """What is asked for now; None if the suite has no form, or after the end."""
        return None if self.record else self._form

    def read(self, entered: Mapping[str, Any]) -> Values:
        """The values of what was entered. Raises ConfigError if it does not fit the form."""
        if self._form is None:
            raise ConfigError(f"suite {self.setup.suite.name}: it has no form for what is shown")
        return self._form.read(entered)

    def reply(self, values: Values) -> None:
        """Play the reply that the form makes of values."""
        assert self._form is not None
        text, shown_at, at = self._form.reply(values), self._shown_at, time.time()
        observation = self._environment.reply(text)
        row = Reply(
            trial_id=self.trial.id,
            turn=len(self.turns) - 1,
            reply=text,
            entered=dict(values),
            reward=observation.reward,
            shown_at=shown_at,
            at=at,
        )
        self._unstored.append(row)
        self._show(text, observation)

    def stop(self) -> None:
        """End the episode early."""
        if self.record is None:
            self.record, self._stopped = self._environment.finish(), True

    def save(self, store: Store) -> None:
        """Store what is not yet stored; repeated after an error, it stores nothing twice."""
        while self._unstored:
            store.add_reply(self._unstored[0])
            del self._unstored[0]
        if self.record is not None and not self._stored:
            store.finish_episode(self.trial.id, self.record, stopped=self._stopped)
            self._stored = True

    def close(self) -> None:
        """Free the episode's resources; what is stored can be rebuilt."""
        if self.record is None:
            self._environment.close()

    def _show(self, reply: str | None, observation: Observation) -> None:
        suite, task, _, choices, *_ = self.setup
        self._form = None if observation.done else form_of(suite, task, choices, observation)
        self.help = self._form.help if self._form is not None else self.help
        parts = [] if observation.done and reply is not None else list(self._parts(observation))
        self.turns.append({"reply": reply, "parts": parts})
        self._shown_at = time.time()
        if observation.done:
            self.record = self._environment.finish()

    def _parts(self, observation: Observation) -> Iterator[dict[str, str]]:
        kind = self.setup.choices.image_format
        own = self._form.text if self._form is not None else None
        for part in observation.parts:
            if isinstance(part, str):
                if own is None:
                    yield {"text": part}
            else:
                yield {"image": data_uri(encoded(part, kind))}
        if own is not None:
            yield {"text": own}


MAX_GAMES = 64
"""Games in memory; if there are more, the one that was played least recently is rebuilt when it continues."""


class Course(NamedTuple):
    """What everyone plays: tasks of a suite, in their order, starting again after the last."""

    suite: Suite
    choices: Any
    prompts: PromptSet
    tasks: tuple[TaskSpec, ...]

    @property
    def study(self) -> str:
        """The study in which its players are."""
        return f"play-{self.suite.name}"

    def setup(self, place: int, trial: int = 0) -> EpisodeSetup:
        """What an episode of a task depends on; `place` is the task's, from 0."""
        every = self.tasks if self.choices.needs_all_tasks else ()
        return EpisodeSetup(self.suite, self.tasks[place], trial, self.choices, self.prompts, every)

    def check(self) -> None:
        """Begin a task and close it. Raises ConfigError if people cannot play it, or the suite's errors."""
        if (self.choices.replies, self.choices.conversation) != ("text", "episode"):
            raise ConfigError(
                "people reply by a form, one task at a time: leave out replies and conversation"
            )
        if self.choices.judges:
            models = ", ".join(self.choices.judges)
            raise ConfigError(f"where people play, no second model is asked: leave out {models}")
        setup = self.setup(0)
        environment = self.suite.open(setup)
        try:
            first = environment.begin()
        finally:
            environment.close()
        if form_of(self.suite, setup.task, self.choices, first) is None:
            raise ConfigError(
                f"suite {self.suite.name}: people cannot play it, as it has no form; docs/add-suite.md says "
                "how to add one"
            )


class Games:
    """The games in memory; the rest is rebuilt from the store."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._games: OrderedDict[int, Game] = OrderedDict()
        self._places = {task.id: place for place, task in enumerate(course.tasks)}

    def state(self, store: Store, person: Participant, known: int = 0) -> dict[str, Any]:
        """What the page shows, without the first `known` turns."""
        return self._state(self._game(store, person), known)

    def reply(
        self, store: Store, person: Participant, trial: int, turn: int, entered: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Play and store what was entered after a turn, from 0; one that is not the last was played already.

        Raises ConfigError if it does not fit the form.
        """

        game = self._game(store, person)
        if game.trial.id != trial or len(game.turns) != turn + 1 or game.record is not None:
            return self._state(game, turn + 1 if game.trial.id == trial else 0)
        values = game.read(entered)
        self._act(store, game, person, lambda: game.reply(values))
        return self._state(game, turn + 1)

    def stop(self, store: Store, person: Participant, trial: int) -> dict[str, Any]:
        """End the episode early."""
        game = self._game(store, person)
        if game.trial.id == trial:
            self._act(store, game, person, game.stop)
        return self._state(game, 0)

    def following(self, store: Store, person: Participant, trial: int) -> dict[str, Any]:
        """Begin the next task after one that has ended."""
        game = self._game(store, person)
        if game.trial.id == trial and game.record is not None:
            del self._games[person.id]
        return self.state(store, person)

    def close(self) -> None:
        """Free all episodes; they are rebuilt when the server is started again."""
        while self._games:
            self._games.popitem()[1].close()

    def _act(self, store: Store, game: Game, person: Participant, act: Callable[[], None]) -> None:
        try:
            act()
        except BaseException:
            # Its environment may be broken: the episode is rebuilt from what is stored.
            del self._games[person.id]
            game.close()
            raise
        game.save(store)

    def _game(self, store: Store, person: Participant) -> Game:
        """The participant's game: in memory, in the store, or a new one."""
        if person.id not in self._games:
            if len(self._games) >= MAX_GAMES:
                left = next(iter(self._games))
                self._games[left].save(store)
                self._games.pop(left).close()
            self._games[person.id] = self._resumed(store, person) or self._new(store, person)
        self._games.move_to_end(person.id)
        game = self._games[person.id]
        game.save(store)
        return game

    def _resumed(self, store: Store, person: Participant) -> Game | None:
        """The participant's unfinished trial; None if there is none of this course."""
        trial = store.open_trial(person.id)
        episode = store.episodes(person.study).get(trial.id) if trial else None
        place = self._places.get(trial.task_id) if trial else None
        if trial is None or episode is None or place is None:
            return None
        setup = self._course.setup(place, trial.trial)
        if PlayedEpisode.of(setup) != PlayedEpisode.model_validate_json(episode.played):
            return None
        return Game(setup, trial, tuple(reply.reply for reply in store.replies(trial.id)))

    def _new(self, store: Store, person: Participant) -> Game:
        trials = store.trials(person.id)
        last = self._places.get(trials[-1].task_id, -1) if trials else -1
        place = (last + 1) % len(self._course.tasks)
        trial = store.begin_episode(person.id, place, PlayedEpisode.of(self._course.setup(place)))
        return Game(self._course.setup(place, trial.trial), trial)

    def _state(self, game: Game, known: int) -> dict[str, Any]:
        record, form = game.record, game.form
        return {
            "title": self._course.suite.title,
            "place": f"Task {game.trial.position + 1} of {len(self._course.tasks)}",
            "trial": game.trial.id,
            "known": known,
            "turns": game.turns[known:],
            "help": game.help,
            "intro": form.intro if form else "",
            "fields": form.shown() if form else [],
            "end": _end(record) if record else None,
        }


def _end(record: Record) -> dict[str, Any]:
    """How an episode ended, as the page shows it."""
    return {"text": record.summary, "passed": record.passed, "score": record.score}
