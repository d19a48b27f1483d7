"""Everyone who plays suites on this server, and their page. All games are in the one thread of the store."""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arena.errors import ArenaError, ConfigError
from evaluation.by_hand.form import Form, Question, Values, WrongAnswer
from evaluation.capabilities import form_of
from evaluation.suite import Observation, Record
from people.pages import GAME, SHARED, SHARED_FILES, SUITE_FILES, fields_html, file_router
from people.play.client import NEUTRAL_ENDS
from people.play.security import answers_in, read_form
from people.play.task_source import Assignment, SuiteTask, TaskSource
from people.play.worker_protocol import LIMIT, STOPPED
from people.store import DatabaseUnavailable, Participant, Store, Trial
from people.store.store import StoreThread
from people.store.tables import Reply
from people.texts import NOT_STORED, START_AGAIN
from render.image import data_uri, encoded

MAX_GAMES = 64
"""Games in memory. If there are more, the one that was played least recently is rebuilt when it continues."""


class Game:
    """An episode in progress, begun or, with the replies so far, rebuilt. Raises ArenaError if the suite
    cannot play it."""

    def __init__(
        self, assignment: Assignment[SuiteTask], trial: Trial, replies: Sequence[Reply] | None = None
    ) -> None:
        self.assignment, self.trial = assignment, trial
        self.setup = setup = assignment.task.setup(trial.trial)
        self.record: Record | None = None
        self.turns: list[dict[str, Any]] = []
        self._unstored: list[Reply] = []
        self.form: Form | None = None
        """Current form. None if the suite has no form, or after the end."""
        self._answers: Mapping[str, str] = {}
        self.help = ""
        self._stored, self._ended_by = False, ""
        self._environment = setup.suite.open(setup)
        try:
            self._show(None, self._environment.begin())
            shown_at = self._shown_at if replies is None else trial.begun_at
            self._begun_at = replies[0].shown_at if replies else shown_at
            for each in replies or ():
                if self.record is None:
                    self._show(each.entered, self._environment.reply(each.reply))
        except BaseException:
            self._environment.close()
            raise

    @property
    def fields(self) -> str:
        """Questions of the form as HTML. Some keep the answers of the last turn."""
        kept = [each.id for each in self.questions if each.stays]
        answers = {name: self._answers.get(name, "") for name in kept}
        return fields_html(self.questions, answers, self.assignment.words)

    @property
    def questions(self) -> tuple[Question, ...]:
        """Questions of the form; empty after the end."""
        return self.form.questions if self.form else ()

    @property
    def left_s(self) -> float:
        """Seconds until the time limit; infinite without one."""
        return self._begun_at + (self.assignment.limit_s or inf) - time.time()

    def read(self, answers: Mapping[str, str]) -> Values:
        """Return the values of the answers. Raises ConfigError if they do not fit the form."""
        if self.form is None:
            raise ConfigError(f"suite {self.setup.suite.name}: it has no form for what is shown")
        values, self._answers = self.form.read(answers, self.assignment.words), answers
        return values

    def reply(self, values: Values) -> None:
        """Play the reply that the form makes of values."""
        assert self.form is not None
        text, shown_at, at = self.form.reply(values), self._shown_at, time.time()
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
        self._show(values, observation)

    def stop(self, ended_by: str = STOPPED) -> None:
        """End the episode early."""
        if self.record is None:
            self.record, self._ended_by, self.form = self._environment.finish(), ended_by, None

    def save(self, store: Store) -> bool:
        """Store unsaved turns; return whether the end was stored. After an error it can be repeated."""
        while self._unstored:
            store.add_reply(self._unstored[0])
            del self._unstored[0]
        if self.record is not None and not self._stored:
            # People who return long after the limit have not played until then.
            since_s = time.time() - self._shown_at + min(self.left_s, 0.0)
            idle_s = max(since_s, 0.0) if self._ended_by else 0.0
            store.finish_episode(self.trial.id, self.setup, self.record, self._ended_by, idle_s)
            self._stored = True
            return True
        return False

    @property
    def end(self) -> dict[str, Any] | None:
        """Text of the episode's end. Without feedback it only states the end."""
        if self.record is None:
            return None
        why = {"why": NEUTRAL_ENDS.get(self._ended_by, "")}
        if not self.assignment.feedback:
            return {**why, "text": "", "passed": None, "score": None}
        score = self.record.score if self.assignment.show_score else None
        # A suite's summary has numbers, and is not in words for children.
        text = "" if self.assignment.stars else self.record.summary
        return {**why, "text": text, "passed": self.record.passed, "score": score}

    def close(self) -> None:
        """Free the episode's resources. Stored turns can be rebuilt."""
        if self.record is None:
            self._environment.close()

    def _show(self, entered: Values | None, observation: Observation) -> None:
        suite, task, _, choices, *_ = self.setup
        said = None if entered is None or self.form is None else self.form.said(entered)
        self.form = None if observation.done else form_of(suite, task, choices, observation)
        self.help = self.form.help if self.form is not None else self.help
        parts = [] if observation.done and entered is not None else list(self._parts(observation))
        self.turns.append({"said": said, "parts": parts})
        self._shown_at = time.time()
        if observation.done:
            self.record = self._environment.finish()

    def _parts(self, observation: Observation) -> Iterator[dict[str, str]]:
        kind = self.setup.choices.image_format
        own = self.form.text if self.form is not None else None
        for part in observation.parts:
            if isinstance(part, str):
                if own is None:
                    yield {"text": part}
            else:
                yield {"image": data_uri(encoded(part, kind))}
        if own is not None:
            yield {"text": own}


State = dict[str, Any]
"""Content of the page. It is only the `page` to open if no task of a suite is to be played."""


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
        """Play and store the answers after a turn, from 0. One that is not the last was played already.
        Raises ConfigError if they do not fit the form."""
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
            # The environment may be broken: the episode is rebuilt from the stored turns.
            self._drop(person.id)
            raise
        self._save(store, game, person)

    def _save(self, store: Store, game: Game, person: Participant) -> None:
        if game.save(store):
            self.source.finished(store, person)

    def _game(self, store: Store, person: Participant) -> Game | None:
        """Return the participant's game: in memory, stored, or new. None if there is none to play."""
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
        game = self._games[person.id]
        if game.left_s <= 0:
            game.stop(LIMIT)
        self._save(store, game, person)
        return game

    def _drop(self, person: int) -> None:
        self._games.pop(person).close()

    def _resumed(self, store: Store, person: Participant) -> Game | None:
        """Return the participant's unfinished trial, if unchanged, else None."""
        trial = store.open_trial(person.id)
        assigned = self._assigned(store, person, trial) if trial else None
        if trial is None or assigned is None or not store.is_of(trial, assigned.task.setup(trial.trial)):
            return None
        return Game(assigned, trial, store.replies(trial.id))

    def _assigned(self, store: Store, person: Participant, trial: Trial) -> Assignment[SuiteTask] | None:
        return self.source.resumed(store, person, trial, SuiteTask)

    def _new(self, store: Store, person: Participant) -> Game | None:
        assigned = self.source.next_task(store, person, SuiteTask)
        if assigned is None:
            return None
        trial = store.begin_episode(person.id, assigned.position, assigned.task.setup(), assigned.block)
        return Game(assigned, trial)


def _state(game: Game | None, known: int) -> State:
    """Return the page's content for a game, without the first `known` turns."""
    if game is None:
        return {"page": "/"}
    assigned = game.assignment
    return {
        "title": assigned.title,
        "position": assigned.position,
        "count": assigned.count,
        "trial": game.trial.id,
        "known": known,
        "turns": game.turns[known:],
        "help": game.help,
        "task": game.form.task if game.form else "",
        "intro": game.form.intro if game.form else "",
        "fields": game.fields,
        "questions": [each.model_dump(mode="json", by_alias=True) for each in game.questions],
        "may_stop": assigned.may_stop,
        "palette": assigned.palette,
        "leave": assigned.words.withdraw if assigned.may_leave else "",
        "left_s": None if game.left_s == inf else game.left_s,
        "end": game.end,
    }


Sent = Annotated[dict[str, str], Depends(read_form)]
Identify = Callable[[Request], Awaitable[Participant | None]]


def suite_router(games: Games, store: StoreThread, identify: Identify) -> APIRouter:
    """Return the routes of /suite and its requests. Episodes are played in the one thread of the store, so
    that a reply is stored before it is answered."""
    router = APIRouter(include_in_schema=False)
    router.include_router(file_router(GAME, *SUITE_FILES))
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
            status, text = 503, NOT_STORED
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
    """Return a number that the page sent. Raises HTTPException."""
    text = sent.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise HTTPException(400, f"{name}: got {text[:20]!r}, expected a number; please reload the page")
    return int(text)
