"""Everyone who plays suites on this server, and their page. All games are in the one thread of the store."""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arena.errors import ArenaError, ConfigError
from evaluation.by_hand.form import Form, Values, WrongAnswer
from evaluation.by_hand.played import PlayedEpisode
from evaluation.capabilities import form_of
from evaluation.suite import Observation, Record
from people.pages import GAME, SHARED, SHARED_FILES, fields_html, file_router
from people.play.course import SuiteTask
from people.play.security import answers_in, read_form
from people.play.task_source import Assignment, TaskSource
from people.store import DatabaseUnavailable, Participant, Store, Trial
from people.store.store import StoreThread
from people.store.tables import Reply
from people.texts import START_AGAIN
from render.image import data_uri, encoded

MAX_GAMES = 64
"""Games in memory; if there are more, the one that was played least recently is rebuilt when it continues."""


class Game:
    """An episode in progress, begun or, with the replies so far, rebuilt.

    Raises ArenaError if the suite cannot play it.
    """

    def __init__(
        self, assignment: Assignment[SuiteTask], trial: Trial, replies: tuple[str, ...] = ()
    ) -> None:
        self.assignment, self.trial = assignment, trial
        self.setup = setup = assignment.task.setup(trial.trial)
        self.record: Record | None = None
        self.turns: list[dict[str, Any]] = []
        self._unstored: list[Reply] = []
        self._form: Form | None = None
        self._answers: Mapping[str, str] = {}
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

    @property
    def fields(self) -> str:
        """The questions of the form as HTML, with the answers of the turn before to those that keep them."""
        questions = self.form.questions if self.form else ()
        kept = [each.id for each in questions if each.stays]
        return fields_html(questions, {name: self._answers.get(name, "") for name in kept})

    def read(self, answers: Mapping[str, str]) -> Values:
        """The values of the answers. Raises ConfigError if they do not fit the form."""
        if self._form is None:
            raise ConfigError(f"suite {self.setup.suite.name}: it has no form for what is shown")
        values, self._answers = self._form.read(answers), answers
        return values

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

    def save(self, store: Store) -> bool:
        """Store what is not yet stored, and say whether the end was; after an error it can be repeated."""
        while self._unstored:
            store.add_reply(self._unstored[0])
            del self._unstored[0]
        if self.record is not None and not self._stored:
            store.finish_episode(self.trial.id, self.record, stopped=self._stopped)
            self._stored = True
            return True
        return False

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


State = dict[str, Any]
"""What the page shows; only the `page` to open if no task of a suite is to be played."""


class Games:
    """The games in memory; the rest is rebuilt from the store."""

    def __init__(self, source: TaskSource) -> None:
        self.source = source
        self._games: OrderedDict[int, Game] = OrderedDict()

    def state(self, store: Store, person: Participant) -> State:
        """Everything that the page shows."""
        return _state(self._game(store, person), 0)

    def reply(
        self, store: Store, person: Participant, trial: int, turn: int, answers: Mapping[str, str]
    ) -> State:
        """Play and store the answers after a turn, from 0; one that is not the last was played already.

        Raises ConfigError if they do not fit the form.
        """
        game = self._game(store, person)
        if game is None or game.trial.id != trial:
            return _state(game, 0)
        if len(game.turns) == turn + 1 and game.record is None:
            values = game.read(answers)
            self._act(store, game, person, lambda: game.reply(values))
        return _state(game, turn + 1)

    def stop(self, store: Store, person: Participant, trial: int) -> State:
        """End the episode early."""
        game = self._game(store, person)
        if game is not None and game.trial.id == trial and game.assignment.may_stop:
            self._act(store, game, person, game.stop)
        return _state(game, 0)

    def following(self, store: Store, person: Participant, trial: int) -> State:
        """Begin the next task after one that has ended."""
        game = self._game(store, person)
        if game is not None and game.trial.id == trial and game.record is not None:
            del self._games[person.id]
        return self.state(store, person)

    def close(self) -> None:
        """Free all episodes; they are rebuilt when somebody continues."""
        while self._games:
            self._games.popitem()[1].close()

    def _act(self, store: Store, game: Game, person: Participant, act: Callable[[], None]) -> None:
        try:
            act()
        except BaseException:
            # Its environment may be broken: the episode is rebuilt from what is stored.
            self._drop(person.id)
            raise
        self._save(store, game, person)

    def _save(self, store: Store, game: Game, person: Participant) -> None:
        if game.save(store):
            self.source.finished(store, person)

    def _game(self, store: Store, person: Participant) -> Game | None:
        """The participant's game: in memory, in the store, or a new one; None if there is none to play."""
        game = self._games.get(person.id)
        if game is not None and game.record is None and not self._assigned(store, person, game.trial):
            self._drop(person.id)
        if person.id not in self._games:
            game = self._resumed(store, person) or self._new(store, person)
            if game is None:
                return None
            if len(self._games) >= MAX_GAMES:
                self._drop(next(iter(self._games)))
            self._games[person.id] = game
        self._games.move_to_end(person.id)
        self._save(store, self._games[person.id], person)
        return self._games[person.id]

    def _drop(self, person: int) -> None:
        self._games.pop(person).close()

    def _resumed(self, store: Store, person: Participant) -> Game | None:
        """The participant's unfinished trial; None if there is none that is still the same."""
        trial = store.open_trial(person.id)
        episode = store.episodes(person.study).get(trial.id) if trial else None
        assigned = self._assigned(store, person, trial) if trial else None
        if trial is None or episode is None or assigned is None:
            return None
        now = PlayedEpisode.of(assigned.task.setup(trial.trial))
        if now != PlayedEpisode.model_validate_json(episode.played):
            return None
        return Game(assigned, trial, tuple(reply.reply for reply in store.replies(trial.id)))

    def _assigned(self, store: Store, person: Participant, trial: Trial) -> Assignment[SuiteTask] | None:
        return self.source.resumed(store, person, trial, SuiteTask)

    def _new(self, store: Store, person: Participant) -> Game | None:
        assigned = self.source.next_task(store, person, SuiteTask)
        if assigned is None:
            return None
        episode = PlayedEpisode.of(assigned.task.setup())
        trial = store.begin_episode(person.id, assigned.position, episode, assigned.block)
        return Game(assigned, trial)


def _state(game: Game | None, known: int) -> State:
    """What the page shows of a game, without the first `known` turns."""
    if game is None:
        return {"page": "/"}
    record, form = game.record, game.form
    return {
        "title": game.setup.suite.title,
        "place": game.assignment.label,
        "trial": game.trial.id,
        "known": known,
        "turns": game.turns[known:],
        "help": game.help,
        "intro": form.intro if form else "",
        "fields": game.fields,
        "may_stop": game.assignment.may_stop,
        "end": _end(record, game.assignment.feedback) if record else None,
    }


def _end(record: Record, feedback: bool) -> dict[str, Any]:
    """How an episode ended, as the page shows it."""
    if not feedback:
        return {"text": "", "passed": None, "score": None}
    return {"text": record.summary, "passed": record.passed, "score": record.score}


Sent = Annotated[dict[str, str], Depends(read_form)]
Identify = Callable[[Request], Awaitable[Participant | None]]


def suite_router(games: Games, store: StoreThread, identify: Identify) -> APIRouter:
    """The page at /suite, and what it asks for.

    Episodes are played in the one thread of the store, so that a reply is stored before it is answered.
    """
    router = APIRouter(include_in_schema=False)
    router.include_router(file_router(GAME, "suite.html", "suite.js", "suite.css", "play.css"))
    router.include_router(file_router(SHARED, *SHARED_FILES))

    async def answer(request: Request, call: Callable[[Store, Participant], State]) -> Response:
        person = await identify(request)
        if person is None:
            raise HTTPException(403, START_AGAIN)
        try:
            return JSONResponse(await store.run(lambda store: call(store, person)))
        except WrongAnswer as error:
            return JSONResponse({"detail": str(error), "open": error.question}, 422)
        except ConfigError as error:
            status, text = 422, str(error)
        except DatabaseUnavailable:
            status, text = 503, "Your answer could not be stored. Please try again."
        except ArenaError as error:
            status, text = 500, str(error)
        return JSONResponse({"detail": text}, status)

    @router.get("/suite/state")
    async def state(request: Request) -> Response:
        return await answer(request, games.state)

    @router.post("/suite/reply")
    async def reply(sent: Sent, request: Request) -> Response:
        trial, turn, answers = _number(sent, "trial"), _number(sent, "turn"), answers_in(sent)
        return await answer(request, lambda store, person: games.reply(store, person, trial, turn, answers))

    @router.post("/suite/stop")
    async def stop(sent: Sent, request: Request) -> Response:
        trial = _number(sent, "trial")
        return await answer(request, lambda store, person: games.stop(store, person, trial))

    @router.post("/suite/next")
    async def following(sent: Sent, request: Request) -> Response:
        trial = _number(sent, "trial")
        return await answer(request, lambda store, person: games.following(store, person, trial))

    return router


def _number(sent: Mapping[str, str], name: str) -> int:
    """A number that the page sent. Raises HTTPException."""
    text = sent.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise HTTPException(400, f"{name}: got {text[:20]!r}, expected a number; please reload the page")
    return int(text)
