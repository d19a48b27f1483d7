"""A simulated participant, who goes through a whole study."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from arena.errors import EvaluationError
from people.simulation.answers import answered, fields, questionnaire_of
from people.simulation.driver import Driver, play_task
from people.simulation.game_page import GamePage, Received
from people.simulation.visitor import Form, Visitor, client_at, forms_of
from people.study.config import Study

MAX_PAGES = 2_000
"""Pages of a study after which a participant goes in circles."""


@dataclass
class Journey:
    """What a participant did: the pages in their order, the tasks as the server announced and ended them,
    answers by page and item. `token` is the participant's secret.
    """

    token: str = ""
    stages: list[str] = field(default_factory=list)
    tasks: list[tuple[Received, Received | None]] = field(default_factory=list)
    answers: dict[tuple[str, str], str] = field(default_factory=dict)
    ending: str = ""


class SimulatedParticipant:
    """Answers at random and plays as `Driver` does, for at most `limit_s`, and then leaves the study.

    `study_of` has the study in the condition of the participant with a token. `url` is the server's, without
    a slash at its end.
    """

    def __init__(self, study_of: Callable[[str], Study], url: str, seed: str, limit_s: float) -> None:
        self._study_of, self.url, self.journey = study_of, url, Journey()
        self._source, self._driver = random.Random(seed), Driver(seed)
        self._until = time.monotonic() + limit_s

    def run(self, address: str) -> Journey:
        """Open the study at this address, and go through it.

        Raises EvaluationError if a page is refused or leads nowhere.
        """
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
        """One page, or the tasks up to the next one; False at the end."""
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
            given = fields(page, answers)
        visitor.send(form.action, **{**form.asked, **form.button, **given})

    def _play(self, visitor: Visitor) -> None:
        with GamePage(self.url, visitor.token) as page:
            message = page.until("trial", "over")
            while message["type"] == "trial" and self._goes_on():
                end = play_task(page, self._driver, self._goes_on)
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
