"""Who is let in by which link, and where those are sent who do not complete the study."""

import csv
import html
import re
from urllib.parse import parse_qsl

import pytest

from people.store.participation import Ending
from people.study import flow
from people.study.links import is_guessable, signature, signing_key
from people.study.progress import progress_of
from tests.people.store import played
from tests.people.study.server import LINKS, TINY
from tests.people.study.walk import Walker, client_of, experimenter_of

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


TRAINING = ENDS.replace("01], tries: 1}", "01, 01-02-01, 01-05-01], tries: 2, CRITERION}") + RETURNS
TWO_OF_THREE = "criterion: {passed: 2, of_last: 3}"
PASS, FAIL = played.SOLUTION, played.TAKEN


def practised(app, criterion: str, tries: list[tuple[int, tuple[int, ...]]]) -> tuple[str, list[dict]]:
    """The stage after attempts at tasks of the practice, 1 to 3, and how the study has ended."""
    study, store = app(TRAINING.replace("CRITERION", criterion))
    walker = Walker(study, "p1").agree()
    me, plan = store.participant(walker.token), study.state.study.plan
    for number, actions in tries:
        stage = flow.current_stage(plan, progress_of(store, me))
        assert stage.name == f"practice-{number}"
        trial = played.begin(store, me, position=stage.position)
        assert played.finish(store, trial, played.recording(trial.trial, actions)) == []
    walker.page = walker.visitor.get("/", follow_redirects=False)
    stage = flow.current_stage(plan, progress_of(store, me))
    if isinstance(stage, Ending):
        assert "The study ends with the practice." in walker.page.text
        assert way_out(walker) == "https://back/?cc=FAILED"
    return stage.name, [note.data for note in store.notes(me.id) if note.kind == "ended"]


@pytest.mark.parametrize(
    ("criterion", "tries", "stage"),
    [
        # Met as soon as two of three are passed; a third task is not practised.
        (TWO_OF_THREE, [(1, PASS), (2, PASS)], "test-1"),
        (TWO_OF_THREE, [(1, FAIL), (1, PASS), (2, FAIL), (2, PASS)], "test-1"),
        # A task that was passed is not practised again: the tasks are over, and the criterion is not met.
        (TWO_OF_THREE, [(1, PASS), (2, FAIL), (2, FAIL), (3, PASS)], "test-1"),
        ("if_failed: end", [(1, FAIL), (1, FAIL)], "failed"),
        ("if_failed: end", [(1, FAIL), (1, PASS)], "practice-2"),
        ("if_failed: continue", [(1, FAIL), (1, FAIL)], "practice-2"),
        (f"{TWO_OF_THREE}, if_failed: end", [(1, FAIL), (1, FAIL), (2, FAIL), (2, FAIL)], "practice-3"),
        (f"{TWO_OF_THREE}, if_failed: end", [(n, FAIL) for n in (1, 1, 2, 2, 3, 3)], "failed"),
        (TWO_OF_THREE, [(n, FAIL) for n in (1, 1, 2, 2, 3, 3)], "test-1"),
    ],
)
def test_a_practice_has_a_criterion(app, criterion, tries, stage):
    ended = [{"ending": "failed"}] if stage == "failed" else []
    assert practised(app, criterion, tries) == (stage, ended)


SIGNED = TINY.replace(", unsigned: true", "")
AGREED = {"answer": "agree"}


def entered(study, link: dict[str, str], **fields: str) -> int:
    """The status of the first page, and of consent if that is given."""
    visitor = client_of(study)
    if fields:
        return visitor.post("/consent", data=link | fields).status_code
    return visitor.get("/", params=link).status_code


def test_only_signed_links_are_accepted(app):
    study, store = app(SIGNED)
    key = signing_key(store, "tiny")
    mine = {"PROLIFIC_PID": "12", "signature": signature(key, "12"), "STUDY_ID": "s1"}
    walker = Walker(study, "12")
    assert "This link is incomplete" in walker.page.text
    walker.page = walker.visitor.get("/", params=mine)
    walker.agree()
    assert walker.stage == "questions-background"
    assert store.participant(walker.token).link == {"PROLIFIC_PID": "12", "STUDY_ID": "s1"}
    for wrong in ({"signature": ""}, {"PROLIFIC_PID": "13"}, {"signature": "ä"}, {"signature": "x" * 22}):
        assert entered(study, mine | wrong) == 400, wrong
        assert entered(study, mine | wrong, **AGREED) == 400, wrong
    assert entered(study, mine) == 200
    # Another person's link in this browser, also a wrong one, does not continue as its last participant.
    assert walker.visitor.get("/").status_code == 200
    assert walker.visitor.get("/", params={"PROLIFIC_PID": "13"}).status_code == 400


def test_a_signature_is_checked_even_if_none_is_needed(app):
    study, store = app()
    assert entered(study, {"PROLIFIC_PID": "12"}) == 200
    assert entered(study, {"PROLIFIC_PID": "12", "signature": "x" * 22}) == 400
    assert signature(signing_key(store, "tiny"), "12") != signature(signing_key(store, "other"), "12")


def test_links_are_printed_and_let_in(app, command, tmp_path):
    study, store = app(SIGNED)
    ids = tmp_path / "ids.txt"
    ids.write_text("12\n\nanna \n")
    options = ("study", tmp_path / "study.yaml", "--db", tmp_path / "study.db", "--links", ids)
    done = command(*options, "--url", "https://lab.example/here")
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [row["id"] for row in rows] == ["12", "anna"]
    for row in rows:
        address, _, query = row["link"].partition("?")
        assert address == "https://lab.example/here/"
        assert entered(study, dict(parse_qsl(query))) == 200
    assert store.participants("tiny") == []
    ids.write_text("12\na b\n")
    assert f"{ids}:2: got 'a b', expected" in command(*options).stderr
    ids.write_text("12\n12\n")
    assert f"{ids}:2: 12 is listed twice, first on line 1" in command(*options).stderr
    assert "--url: got 'lab'" in command(*options, "--url", "lab").stderr


def test_links_name_the_condition_and_nobody_can_choose_another(app, command, tmp_path):
    text = SIGNED.replace("keep: [STUDY_ID]", "keep: [STUDY_ID], condition: group")
    study, store = app(text + "conditions: {near: {}, far: {}}\n")
    (tmp_path / "ids.txt").write_text("12\n13\n")
    options = ("--db", tmp_path / "study.db", "--links", tmp_path / "ids.txt")
    rows = list(csv.DictReader(command("study", tmp_path / "study.yaml", *options).stdout.splitlines()))
    assert [(row["id"], row["condition"]) for row in rows] == [
        (code, condition) for code in ("12", "13") for condition in ("near", "far")
    ]
    link = dict(parse_qsl(rows[1]["link"].partition("?")[2]))
    assert link["group"] == "far"
    for wrong in ({"group": "near"}, {"group": ""}, {"PROLIFIC_PID": "13"}):
        assert entered(study, link | wrong) == 400, wrong
        assert entered(study, link | wrong, **AGREED) == 400, wrong
    assert entered(study, link, **AGREED) == 303
    (me,) = store.participants("tiny")
    assert progress_of(store, me).condition == "far"
    unconditional = {"PROLIFIC_PID": "14", "signature": signature(signing_key(store, "tiny"), "14")}
    assert entered(study, unconditional) == 400


def test_a_running_study_may_accept_unsigned_links_from_now_on(app):
    study, store = app(SIGNED)
    link = {"PROLIFIC_PID": "12", "signature": signature(signing_key(store, "tiny"), "12")}
    assert entered(study, link, **AGREED) == 303
    again, _ = app(TINY)
    assert "How old are you?" in Walker(again, "12").page.text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SIGNED, "Only signed links are accepted"),
        (TINY, "Warning: links without a signature are accepted"),
        (TINY.replace(LINKS, "from: codes, codes: [A1]"), "Warning: codes such as A1 can be guessed"),
    ],
    ids=["signed", "unsigned", "codes"],
)
def test_check_says_how_safe_the_links_are(command, tmp_path, text, said):
    (tmp_path / "study.yaml").write_text(text)
    assert said in command("study", tmp_path / "study.yaml", "--check").stdout


def test_the_experimenter_is_warned_of_ids_that_can_be_guessed(app):
    study, _ = app()
    inside = experimenter_of(study)
    Walker(study, "5f3e0c1ab2d4e6f708192a3b").agree()
    assert "can be guessed" not in inside.get("/experimenter/table").text
    Walker(study, "child-007").agree()
    assert "Ids such as child-007 can be guessed (1 of 2)" in inside.get("/experimenter/table").text


def test_which_ids_can_be_guessed():
    guessable = ["12", "007", "anna", "participant_000012", "A1B2", "491701234567"]
    safe = ["5f3e0c1ab2d4e6f708192a3b", "A1B2C3D4E5F6G7", "a7b3k9x2m4q8"]
    assert [is_guessable(each) for each in (*guessable, *safe)] == [True] * 6 + [False] * 3
