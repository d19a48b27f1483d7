"""A participant without a browser, who goes through a study page by page."""

import re

import httpx
from fastapi import FastAPI
from starlette.testclient import TestClient

from human_data.people.play.security import COOKIE
from tests.human_data.people.play.server import Page
from tests.human_data.people.study.server import StudyServer, hidden

ANSWERS = {
    "background": {"age": "9"},
    "mood": {"tired": "4"},
    "afterwards": {"again": "Yes", "how": "<b>luck</b>"},
}


def client_of(app: FastAPI) -> TestClient:
    """A visitor of an application in this process."""
    return TestClient(app, headers={"origin": "http://testserver"}, follow_redirects=False)


class Walker:
    """`visitor` keeps the cookies; `page` is the last that was shown."""

    def __init__(self, server: StudyServer | FastAPI, code: str) -> None:
        self.server = server
        self.visitor = server.visitor() if isinstance(server, StudyServer) else client_of(server)
        self.link = {"PROLIFIC_PID": code, "STUDY_ID": "s1", "other": "x"}
        self.page = self.visitor.get("/", params=self.link)

    @property
    def token(self) -> str:
        return self.visitor.cookies[COOKIE]

    @property
    def stage(self) -> str:
        """The name of the stage whose page is shown; "" if it has none."""
        return hidden(self.page.text).get("stage", "")

    def agree(self) -> "Walker":
        self.send("/consent", answer="agree")
        return self

    def send(self, address: str, **fields: str) -> httpx.Response:
        """Send the page's form, and follow to where it leads."""
        self.page = self.visitor.post(address, data=hidden(self.page.text) | fields, follow_redirects=True)
        return self.page

    def answer(self) -> None:
        """Answer the page's questions, or read on."""
        kind = re.sub(r"questions-(\w+?)(-\d+)?$", r"\1", self.stage)
        self.send("/go", **{f"item-{name}": value for name, value in ANSWERS.get(kind, {}).items()})

    def play(self, action: int = 4, steps: int = 3) -> dict:
        """Play the present task for some steps and stop it; returns the server's description of it."""
        with Page(self.server, self.token) as page:
            trial = page.until("trial")
            page.do("start")
            page.do("keys", action=action)
            page.steps(trial["step"] + steps)
            page.do("stop")
            page.until("end")
            page.do("next")
            while page.hear()["type"] not in ("trial", "over"):
                pass
        self.page = self.visitor.get("/", follow_redirects=True)
        return trial

    @property
    def at_a_task(self) -> bool:
        return self.page.url.path == "/play"

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
