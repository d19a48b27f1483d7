"""A whole study played by simulated participants on a real server. The server runs in this process."""

import base64
import io
import random
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from PIL import Image
from pydantic import TypeAdapter

from arena.errors import EvaluationError
from arena.processes import cores
from evaluation.by_hand.form import Checkbox, Command, Item, Question, list_of
from llm_control.agents import pixels
from llm_control.suite import SCRIPT
from people.play.players import Players
from people.play.security import LIST
from people.serving import Server, bound, url_of
from people.simulation.visitor import Form, GamePage, Received, Visitor, client_at, forms_of
from people.store import Store
from people.store.participation import WITHDRAWN
from people.study.app import create_study_app
from people.study.branching import Given, asked_items, form_items
from people.study.config import Questionnaire, Study
from people.study.flow import StudyTaskSource
from people.study.links import PREVIEW, signature, signing_key
from people.study.plan import Plan
from people.study.progress import progress_of
from people.study.server import start_or_resume
from render import decode

LEFT_OUT = 0.3
"""Share of the optional items that are left out."""

ATTEMPTS = 100
"""Attempts at answers that do not screen a participant out."""


def answered(study: Study, page: Questionnaire, earlier: Given, source: random.Random) -> dict[str, str]:
    """Answer a page's items that follow from earlier answers. The answers fit the study if possible. Some
    optional items are left out."""
    answers: dict[str, str] = {}
    for _ in range(ATTEMPTS):
        items = (item for item, _ in form_items(study, page, earlier))
        chosen = (item for item in items if item.required or source.random() >= LEFT_OUT)
        answers = {item.id: item.example(source) for item in chosen}
        asked = {item.id for item in asked_items(study, page, earlier, answers)}
        answers = {name: answer for name, answer in answers.items() if name in asked}
        if all(
            page.item(name).accepts(answers[name], accepted)
            for name, accepted in page.screen.items()
            if name in asked
        ):
            break
    return answers


def questionnaire_of(study: Study, stage: str) -> Questionnaire | None:
    """Return the questionnaire whose page is a stage; None for another page."""
    found = [page for page in study.questionnaires if f"{stage}-".startswith(f"questions-{page.name}-")]
    return max(found, key=lambda page: len(page.name), default=None)


def fields(items: Iterable[Question], answers: Mapping[str, str]) -> dict[str, str | list[str]]:
    """Answers by item as the fields of a form."""
    several = {item.id for item in items if isinstance(item, Checkbox)}
    single = {f"item-{name}": value for name, value in answers.items() if name not in several}
    lists = {f"item-{name}{LIST}": list(list_of(answers[name]) or ()) for name in several & answers.keys()}
    return {**single, **lists}


LOOKED_AT = 128
"""Pixels per side to which pictures are reduced. A ball is recognised by its colour."""

STRAIGHT, AHEAD = 8.0, 25.0
"""Degrees within which a ball needs no turning, or driven turning."""

UNFIT = 422
"""Status of answers that do not fit a form."""

MESSAGE_S = 0.013
"""Interval of messages, below the 100 a second that a server accepts."""

FORWARD, RIGHT, LEFT, FORWARD_RIGHT, FORWARD_LEFT = 3, 1, 2, 4, 5
"""Indices into `arena.ACTIONS`."""


class Driver:
    """Driver that steers to visible balls, and otherwise explores at random."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._left, self._searching, self._fruitless = 0, FORWARD, 0

    def keys(self, jpeg: bytes) -> int:
        """The keys to hold after this picture, as an index into `arena.ACTIONS`."""
        picture = Image.open(io.BytesIO(jpeg))
        picture.draft("RGB", (LOOKED_AT, LOOKED_AT))
        frame = np.asarray(picture.convert("RGB"))
        goals = pixels.blobs(frame, pixels.YELLOW) or pixels.blobs(frame, pixels.GREEN)
        if not goals:
            return self._search()
        bearing = goals[0].bearing
        if abs(bearing) < STRAIGHT:
            return FORWARD
        side = bearing > 0
        if abs(bearing) < AHEAD:
            return FORWARD_RIGHT if side else FORWARD_LEFT
        return RIGHT if side else LEFT

    def script(self, turn: Received) -> str:
        """Return a script for a turn's pictures. The last is the present one."""
        images = [part["image"] for part in turn["parts"] if "image" in part]
        if not images:
            return "Go(5);"
        frame = decode(base64.b64decode(images[-1].partition(",")[2]))
        script = pixels.answer(frame, self._fruitless, np.random.default_rng(self._random.getrandbits(32)))
        self._fruitless = self._fruitless + 1 if "see no ball" in script else 0
        return script

    def _search(self) -> int:
        self._left -= 1
        if self._left <= 0:
            self._left = self._random.randint(5, 25)
            self._searching = self._random.choice((FORWARD, FORWARD, RIGHT, LEFT, FORWARD_RIGHT))
        return self._searching


def _by_keys(page: GamePage, driver: Driver, goes_on: Callable[[], bool]) -> Received | None:
    """Play a trial; return the server's message of its end or failure. None if `goes_on` ended it early."""
    held, sent_at = 0, time.monotonic()
    page.do("start")
    while goes_on():
        message = page.hear()
        match message["type"]:
            case "end" | "failed":
                return message
            # Keys do not count before the clock runs.
            case "paused" | "running":
                held = 0
            case "frame" if (keys := driver.keys(message["frame"].jpeg)) != held:
                page.do("keys", action=keys)
                held = keys
        if message["type"] in ("frame", "paused"):
            time.sleep(max(0.0, 2 * MESSAGE_S - (time.monotonic() - sent_at)))
            sent_at = time.monotonic()
    return None


_QUESTIONS = TypeAdapter(tuple[Item | Command, ...])


def _by_forms(
    visitor: Visitor, source: random.Random, driver: Driver, goes_on: Callable[[], bool]
) -> Iterator[Received]:
    """Play tasks by scripts, or by examples of answers. The last state that was shown of each."""
    state = visitor.client.get("/suite/state").raise_for_status().json()
    while "page" not in state and goes_on():
        sent = {"trial": state["trial"]}
        if state["end"]:
            yield state
            state = visitor.client.post("/suite/next", data=sent).raise_for_status().json()
            continue
        questions = _QUESTIONS.validate_python(state["questions"])
        # Not every example fits what can be done now.
        for _ in range(ATTEMPTS):
            answers = {each.id: each.example(source) for each in questions}
            if SCRIPT in answers:
                answers[SCRIPT] = driver.script(state["turns"][-1])
            filled_in = {
                **sent,
                "turn": state["known"] + len(state["turns"]) - 1,
                **fields(questions, answers),
            }
            answer = visitor.client.post("/suite/reply", data=filled_in)
            if answer.status_code != UNFIT:
                break
        state = answer.raise_for_status().json()


MAX_PAGES = 2_000
"""Pages of a study after which a participant goes in circles."""


@dataclass
class Journey:
    """A participant's course through a study. It has the pages in their order, the tasks as the server
    announced and ended them, answers by page and item. `token` is the participant's secret."""

    token: str = ""
    stages: list[str] = field(default_factory=list)
    tasks: list[tuple[Received, Received | None]] = field(default_factory=list)
    answers: dict[tuple[str, str], str] = field(default_factory=dict)
    ending: str = ""


class SimulatedParticipant:
    """Participant who answers at random and plays like `Driver`.

    It plays for at most `limit_s`, and then leaves the study. `study_of` has the study in the condition of
    the participant with a token. `url` is the server's, without a slash at its end.
    """

    def __init__(self, study_of: Callable[[str], Study], url: str, seed: str, limit_s: float) -> None:
        self._study_of, self.url, self.journey = study_of, url, Journey()
        self._source, self._driver = random.Random(seed), Driver(seed)
        self._until = time.monotonic() + limit_s

    def run(self, address: str) -> Journey:
        """Open the study at this address, and go through it. Raises EvaluationError if a page is refused or
        leads nowhere."""
        with client_at(self.url) as client:
            visitor = Visitor(client)
            visitor.open(address)
            for _ in range(MAX_PAGES):
                self._check(visitor)
                if not self._continue(visitor):
                    self.journey.token = visitor.token
                    return self.journey
        raise EvaluationError(f"the study does not end: {MAX_PAGES} pages, the last is {visitor.stage}")

    def _continue(self, visitor: Visitor) -> bool:
        """One page, or the tasks up to the next one. False at the end."""
        if time.monotonic() > self._until and self.journey.stages:
            visitor.send("/withdraw")
            self.journey.ending = "left at the time limit"
            return False
        if visitor.at_a_task:
            self._play(visitor)
            visitor.open()
            return True
        forms = [form for form in forms_of(visitor.page.text) if form.action not in ("/another", "")]
        if not forms:
            self.journey.ending = "completed"
            return False
        self._fill_in(visitor, forms[0])
        return True

    def _fill_in(self, visitor: Visitor, form: Form) -> None:
        stage = visitor.stage
        self.journey.stages.append(stage or form.action.strip("/"))
        given: dict[str, str | list[str]] = {}
        study = self._study_of(visitor.token) if stage else None
        if study is not None and (page := questionnaire_of(study, stage)) is not None:
            answers = answered(study, page, self.journey.answers, self._source)
            self.journey.answers |= {
                (stage.removeprefix("questions-"), name): text for name, text in answers.items()
            }
            given = fields(page.items, answers)
        visitor.send(form.action, **{**form.asked, **form.button, **given})

    def _play(self, visitor: Visitor) -> None:
        if visitor.page.url.path == "/suite":
            ended = _by_forms(visitor, self._source, self._driver, self._goes_on)
            self.journey.tasks += ((state, state["end"]) for state in ended)
            return
        with GamePage(self.url, visitor.token) as page:
            message = page.until("trial", "over")
            while message["type"] == "trial" and self._goes_on():
                end = _by_keys(page, self._driver, self._goes_on)
                self.journey.tasks.append((message, end))
                if end is None:
                    return
                page.do("next")
                message = page.until("trial", "over")

    def _goes_on(self) -> bool:
        return time.monotonic() < self._until

    def _check(self, visitor: Visitor) -> None:
        status = visitor.page.status_code
        if status >= 400:
            where = visitor.stage or visitor.page.url.path
            sent = ", ".join(
                f"{page}/{item}: {text!r}" for (page, item), text in self.journey.answers.items()
            )
            answers = f"; answers so far: {sent}" if sent else ""
            raise EvaluationError(f"simulated participant: {where} was refused with status {status}{answers}")


SPEED = 8.0
"""Steps are taken as many times faster than people play. More would leave no time for pictures."""

START_S = 60.0
"""A server that does not answer by then has failed."""

HOST = "127.0.0.1"


def simulate(
    plan: Plan,
    store: Store,
    participants: int,
    *,
    limit_s: float = 1800.0,
    workers: int | None = None,
    report: Callable[[str], None] = print,
) -> list[Journey]:
    """Let a number of simulated participants go through a study, several concurrently.

    Their data are marked as tests. `report` gets a line about each. Raises EvaluationError if a page refuses
    a participant, and InvalidRequest if the study has changed while real participants are in progress.
    """
    address = f"/preview/{signature(signing_key(store, plan.study.name), PREVIEW)}"

    def study_of(token: str) -> Study:
        person = store.participant(token)
        return plan.of(progress_of(store, person).condition if person else None).study

    def play(number: int) -> Journey:
        journey = SimulatedParticipant(study_of, url, f"{plan.study.seed} {number}", limit_s).run(address)
        report(_described(store, journey))
        return journey

    count = workers or cores()
    with serving(plan, store, count) as url, ThreadPoolExecutor(count) as threads:
        return list(threads.map(play, range(1, participants + 1)))


@contextmanager
def serving(plan: Plan, store: Store, workers: int) -> Iterator[str]:
    """Serve a study from a thread of this process, at `SPEED`. Yields its address without a final slash.
    Raises EvaluationError if the server does not start, and InvalidRequest as `simulate`."""
    start_or_resume(store, plan)
    players = Players(store, StudyTaskSource(plan), workers=workers, speed=SPEED)
    listener = bound(HOST, 0)
    server = Server(create_study_app(plan, players, store, secrets.token_urlsafe()))
    thread = threading.Thread(target=server.run, args=([listener],), name="server")
    with players.recorder:
        thread.start()
        try:
            end = time.monotonic() + START_S
            while not server.started:
                if not thread.is_alive() or time.monotonic() > end:
                    raise EvaluationError("the server of the simulation did not start")
                time.sleep(0.02)
            yield url_of(HOST, listener).rstrip("/")
        finally:
            server.should_exit = True
            thread.join()


def _described(store: Store, journey: Journey) -> str:
    """Describe a participant's course in a line."""
    person = store.participant(journey.token)
    assert person is not None
    trials = store.trials(person.id)
    minutes = sum(trial.seconds_played or 0 for trial in trials) / 60
    passed = sum(bool(trial.passed) for trial in trials)
    ended = progress_of(store, person).ending
    ending = ended.name if ended and ended.page != WITHDRAWN else journey.ending
    return (
        f"{person.code}: {ending}; {len(journey.stages)} pages, {len(journey.answers)} answers, "
        f"{len(trials)} trials of which {passed} passed, {minutes:.1f} minutes of play"
    )
