"""Who is let in by which link, and where those are sent who do not complete the study."""

import html
import re

import pytest

from tests.human_data.people.store import played
from tests.human_data.people.study.server import TINY
from tests.human_data.people.study.walk import Walker

TASKS = """\
practice: {tasks: [01-01-01], tries: 1}
test: {tasks: [01-02-01, 01-06-02], limit_minutes: 0.005}
completion:
  code: C1A2
  link: https://back/?cc={code}&session={STUDY_ID}
"""
RETURNS = """\
  returns:
    refused: https://back/?cc=NO&id={PROLIFIC_PID}&s={STUDY_ID}
    stopped: https://back/?cc=STOPPED&id={participant}
    failed: https://back/?cc=FAILED
    late: https://back/?cc=LATE
"""
ENDS = TINY[: TINY.index("tutorial:")] + TASKS


def way_out(walker: Walker) -> str | None:
    """The link that leads out of the study on the walker's page."""
    found = re.search(r'id="finish"[^>]* href="([^"]*)"', walker.page.text)
    return html.unescape(found[1]) if found else None


def test_who_refuses_or_leaves_has_a_way_back(app):
    study, _ = app(ENDS + RETURNS)
    walker = Walker(study, "p1")
    walker.send("/consent", answer="refuse", STUDY_ID="a&b=c")
    assert way_out(walker) == "https://back/?cc=NO&id=p1&s=a%26b%3Dc"
    walker = Walker(study, "p1").agree()
    walker.send("/withdraw")
    assert way_out(walker) == "https://back/?cc=STOPPED&id=p1"
    plain, _ = app(ENDS, "plain.db")
    for address, answers in (("/consent", {"answer": "refuse"}), ("/withdraw", {})):
        walker = Walker(plain, "p2")
        if address == "/withdraw":
            walker.agree()
        walker.send(address, **answers)
        assert way_out(walker) is None


def test_a_changed_mind_is_still_the_same_person(app):
    study, store = app()
    walker = Walker(study, "p1")
    walker.send("/consent", answer="refuse")
    back = re.search(r'href="(/[^"]*)">I have changed my mind', walker.page.text)[1]
    walker.page = walker.visitor.get(html.unescape(back))
    walker.agree()
    assert walker.stage == "questions-background"
    assert store.participant(walker.token).link == {"PROLIFIC_PID": "p1", "STUDY_ID": "s1"}


@pytest.mark.parametrize(
    ("ending", "practice", "test"),
    [
        ("completed", played.SOLUTION, [played.TAKEN, played.TAKEN]),
        ("failed", played.TAKEN, [played.TAKEN, played.TAKEN]),
        ("late", played.SOLUTION, [played.SOLUTION]),
    ],
)
@pytest.mark.parametrize("returns", [RETURNS, ""], ids=["own", "default"])
def test_each_ending_has_its_link(app, ending, practice, test, returns):
    study, store = app(ENDS + returns)
    walker = Walker(study, "p1").agree()
    me = store.participant(walker.token)
    for position, actions in enumerate([practice, *test], start=-1):
        trial = played.begin(store, me, position=position)
        assert played.finish(store, trial, played.recording(trial.trial, actions)) == []
    walker.page = walker.visitor.get("/")
    own = {"failed": "https://back/?cc=FAILED", "late": "https://back/?cc=LATE"} if returns else {}
    assert way_out(walker) == own.get(ending, "https://back/?cc=C1A2&session=s1")
    assert [note.data for note in store.notes(me.id) if note.kind == "completed"] == [{"ending": ending}]
