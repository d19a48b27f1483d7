"""A participant without a browser, who goes through a study page by page."""

import re

from fastapi import FastAPI
from starlette.testclient import TestClient

from people.simulation.visitor import Visitor
from tests.people.play.server import Page
from tests.people.study.server import StudyServer

TOKEN = "the-token"
"""The experimenter's, of applications in this process."""

LAST = {"again": "Yes", "how": "<b>luck</b>"}
ANSWERS = {"background": {"age": "9"}, "mood": {"tired": "4"}, "afterwards": LAST}


def client_of(app: FastAPI) -> TestClient:
    """A visitor of an application in this process."""
    return TestClient(app, headers={"origin": "http://testserver"}, follow_redirects=False)


def experimenter_of(app: FastAPI) -> TestClient:
    """A visitor with the experimenter's cookie."""
    visitor = client_of(app)
    assert visitor.get("/experimenter", params={"token": TOKEN}).status_code == 200
    return visitor


class Walker(Visitor):
    """`visitor` keeps the cookies; `page` is the last that was shown."""

    def __init__(self, server: StudyServer | FastAPI, code: str) -> None:
        super().__init__(server.visitor() if isinstance(server, StudyServer) else client_of(server))
        self.server, self.visitor = server, self.client
        self.link = {"PROLIFIC_PID": code, "STUDY_ID": "s1", "other": "x"}
        self.page = self.visitor.get("/", params=self.link)

    def agree(self) -> "Walker":
        self.send("/consent", answer="agree")
        return self

    def answer(self) -> None:
        """Answer the page's questions, or read on."""
        kind = re.sub(r"questions-(\w+?)(-\d+)?$", r"\1", self.stage)
        self.send("/go", **{f"item-{name}": value for name, value in ANSWERS.get(kind, {}).items()})

    def play(self, action: int = 4, steps: int = 3) -> dict:
        """Play the present task for some steps and stop it; returns the server's description of it."""
        with Page(self.server, self.token) as page:
            trial = page.drive(steps, action)
            page.finish()
        self.open()
        return trial

    def go_to(self, stage: str) -> "Walker":
        """Continue until a stage is reached; a task is "test-2" or "play"."""
        for _ in range(40):
            if self.stage == stage or (stage == "play" and self.at_a_task):
                return self
            if self.at_a_task:
                self.play()
            else:
                self.answer()
        raise AssertionError(f"never came to {stage}")
