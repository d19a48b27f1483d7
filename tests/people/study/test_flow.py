"""The flow of a study: nobody skips, plays twice, or loses their place."""

import re
import signal
import time

import pytest

from people.play.worker import WorkerEpisode
from people.play.worker_protocol import Open, PlayEnd
from people.simulation.visitor import hidden
from people.store import Store
from people.store.store import TrialEnd, write_batch
from people.study import flow
from people.study import server as server_module
from people.study.flow import StudyTaskSource
from people.study.progress import progress_of
from testbed import Task, task_named
from tests.people.play.server import Page
from tests.people.play.test_pictures import HOT
from tests.people.store import played, postgres
from tests.people.study.server import LINKS, TINY, StudyServer, planned
from tests.people.study.walk import Walker, client_of


def person(store: Store, walker: Walker):
    found = store.participant(walker.token)
    assert found is not None
    return found


def kinds(store: Store, walker: Walker) -> list[str]:
    return [note.kind for note in store.notes(person(store, walker).id)]


def test_nothing_is_stored_before_consent_and_of_a_refusal_only_the_fact(server, walker):
    with server.store() as store:
        before = [each.code for each in store.participants("tiny")]
        assert "I do not want to take part" in walker.page.text
        walker.send("/consent", answer="refuse")
        assert "You have chosen not to take part" in walker.page.text
        assert not walker.visitor.cookies
        assert [each.code for each in store.participants("tiny")] == before
        notes = store.study_notes("tiny")
        assert notes[-1].data == {"agreed": False, "version": "3"}
        assert walker.link["PROLIFIC_PID"] not in str([note.data for note in notes])


ASSENT = f"""{TINY}
assent: {{version: "c2", title: Do you want to play?, text: You **can** stop., agree: "Yes, please"}}
"""


def test_a_child_is_asked_after_the_parent(app):
    study, store = app(ASSENT)
    walker = Walker(study, "p1").agree()
    assert "Do you want to play?" in walker.page.text
    assert "Yes, please</button>" in walker.page.text
    assert "I do not want to take part</button>" in walker.page.text
    assert store.participants("tiny") == []
    # Not without the parent, and only by the page's own answers.
    assert client_of(study).post("/assent", data=walker.link | {"answer": "agree"}).headers["location"] == "/"
    assert walker.visitor.post("/assent", data=hidden(walker.page.text)).status_code == 400
    walker.send("/assent", answer="agree")
    assert walker.stage == "questions-background"
    stored = {note.kind: note.data for note in store.notes(person(store, walker).id)}
    assert stored["consent"]["version"] == "3"
    assert stored["assent"] == {"agreed": True, "version": "c2", "title": "Do you want to play?"}
    unwilling = Walker(study, "p2").agree()
    unwilling.send("/assent", answer="refuse")
    assert "You have chosen not to take part" in unwilling.page.text
    assert [each.code for each in store.participants("tiny")] == ["p1"]
    refusal = store.study_notes("tiny")[-1]
    assert (refusal.kind, refusal.data) == ("assent", {"agreed": False, "version": "c2"})


def test_a_whole_study_is_stored(server, walker):
    walker.agree().go_to("play")
    told = walker.play(action=5, steps=4)
    assert (told["title"], told["count"], told["feedback"]) == ("How to steer", None, True)
    assert walker.page.url.path == "/play"
    tries = [walker.play()["trial"], walker.play()["trial"]]
    assert tries[0] != tries[1]
    walker.go_to("questions-mood-1")
    assert walker.send("/go").status_code == 422
    assert "Please answer this question." in walker.page.text
    walker.answer()
    assert "You have done 1 of 2 tasks." in walker.page.text
    walker.answer()
    told = walker.play()
    assert (told["position"], told["count"], told["feedback"]) == (1, 2, False)
    walker.answer()
    assert "https://app.prolific.com/submissions/complete?cc=C1A2" in walker.page.text
    with server.store() as store:
        me = person(store, walker)
        assert me.link == {"PROLIFIC_PID": me.code, "STUDY_ID": "s1"}
        trials = store.trials(me.id)
        assert [trial.position for trial in trials] == [-2, -1, -1, 0, 1]
        order = next(note.data for note in store.notes(me.id) if note.kind == "order")
        assert [trial.task_id for trial in trials[3:]] == order["tasks"]
        assert all(store.actions(trial.id) for trial in trials)
        assert 5 in [row.action for row in store.actions(trials[0].id)]
        answers = {(answer.page, answer.item): answer.value for answer in store.answers(me.id)}
        assert answers == {
            ("background", "age"): "9", ("mood-1", "tired"): "4",
            ("afterwards", "again"): "Yes", ("afterwards", "how"): "<b>luck</b>",
        }  # fmt: skip
        assert {"consent", "order", "passed", "completed"} <= set(kinds(store, walker))
    # A participant who is done stays there.
    again = Walker(server, me.code)
    assert "Thank you!" in again.page.text
    assert again.send("/go", stage="test-1").text.count("Thank you!") == 1


def test_nobody_skips(server, walker):
    """Neither by a form of a later stage, nor by the game's page, nor without consent."""
    assert walker.visitor.post("/go", data={"stage": "test-1"}).status_code == 403
    walker.agree()
    assert walker.stage == "questions-background"
    with Page(server, walker.token) as page:
        assert page.hear() == {"type": "over", "next_page": "/"}
    for stage in ("introduction-tutorial", "test-1", "break-1", "completed", ""):
        walker.visitor.post("/go", data={"stage": stage}, follow_redirects=True)
    walker.page = walker.visitor.get("/")
    assert walker.stage == "questions-background"


def test_a_later_window_takes_over(server, walker):
    walker.agree()
    older = walker.page.text
    tab = re.search(r'data-tab="([^"]+)"', older)[1]
    assert walker.visitor.get("/here", params={"tab": tab}).json() == {"here": True}
    walker.page = walker.visitor.get("/", params=walker.link)
    newer = walker.page
    assert walker.visitor.get("/here", params={"tab": tab}).json() == {"here": False}
    answer = walker.visitor.post("/go", data={"stage": "questions-background", "tab": tab, "item-age": "9"})
    assert answer.status_code == 409
    assert "This page was opened in another window" in answer.text
    walker.page = newer
    walker.answer()
    assert walker.stage == "introduction-tutorial"
    late = walker.visitor.post("/go", data={"stage": "questions-background", "tab": tab})
    assert "You continued in another window." in late.text


def test_who_leaves_in_the_middle_of_a_task_has_all_steps_counted_and_cannot_come_back(server, walker):
    walker.agree().go_to("play")
    assert "Leave the study?" in walker.visitor.get("/withdraw").text
    with Page(server, walker.token) as page:
        page.drive(8)
        walker.send("/withdraw")
        assert "You have left the study" in walker.page.text
        assert page.refusal() == (1008, "You have left the study")
    time.sleep(0.5)
    with server.store() as store:
        (trial,) = store.trials(person(store, walker).id)
        assert trial.ended_by == "withdrew"
        assert trial.steps_played == len(store.actions(trial.id))
    # Nor does a window that was open go on.
    with Page(server, walker.token) as other:
        assert other.until("over")["next_page"] == "/"
    assert "You have left the study" in Walker(server, walker.link["PROLIFIC_PID"]).page.text


CODES = TINY.replace(LINKS, "from: codes, codes: [A1, B2]")
FREE = TINY.replace(LINKS, "from: free")


@pytest.mark.parametrize("text", [CODES, FREE], ids=["codes", "free"])
def test_codes(app, text, monkeypatch):
    study, _ = app(text)
    first = Walker(study, "x").agree()
    assert "Your participant code" in first.page.text
    for wrong in ("", "a b", "_study", "../x", "ä", "x" * 65, *(["C3"] if text is CODES else [])):
        assert first.send("/id", code=wrong).status_code == 422, wrong
    first.send("/id", code="A1")
    assert first.stage == "questions-background"
    second = Walker(study, "x").agree()
    second.send("/id", code="A1")
    assert "This code is already in use" in second.page.text
    if text is CODES:
        # The first computer has crashed, say.
        monkeypatch.setattr(server_module, "PRESENT_S", 0)
        second.send("/id", code="A1")
    else:
        second.send("/id", code="B2")
    assert second.stage == "questions-background"
    second.visitor.post("/another")
    assert "I agree to take part" in second.visitor.get("/").text
    # Consent comes first.
    assert client_of(study).post("/id", data={"code": "B2"}).headers["location"] == "/"


def test_a_code_comes_after_both_agreements(app):
    study, _ = app(ASSENT.replace(TINY, FREE))
    walker = Walker(study, "x").agree()
    assert walker.visitor.post("/id", data={"code": "B2", "agreed": "3"}).headers["location"] == "/"
    walker.send("/assent", answer="agree")
    walker.send("/id", code="B2")
    assert walker.stage == "questions-background"


@pytest.fixture
def db(request, tmp_path):
    """PostgreSQL if it is installed; the browser's test always uses SQLite."""
    if postgres.program("initdb") and postgres.as_whom() is not None:
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'study.db'}"


def test_after_a_kill_everyone_resumes_where_they_left_off(tmp_path, db, request):
    server = StudyServer(tmp_path, db=db)
    walker = Walker(server, "p1").agree().go_to("introduction-tutorial")
    other = Walker(server, "p2").agree()
    walker.answer()
    with Page(server, walker.token) as page:
        trial = page.drive(12)["trial"]
        server.stop(signal.SIGKILL)
    with StudyServer(tmp_path, db=db, port=server.port) as server:
        assert "2 participants in progress" in server.printed
        back = Walker(server, "p1")
        assert back.page.headers["location"] == "/play"
        told = back.play()
        assert told["trial"] == trial
        assert told["step"] >= 9
        other.server = server
        other.page = Walker(server, "p2").page
        assert other.stage == "questions-background"
        back.go_to("questions-afterwards")
        with server.store() as store:
            trials = store.trials(person(store, back).id)
            assert sorted(each.position for each in trials if each.position >= 0) == [0, 1]
            (mine,) = [each for each in trials if each.id == trial]
            assert len(store.actions(trial)) == mine.steps_played


def test_check_describes_the_study(tmp_path, command):
    (tmp_path / "study.yaml").write_text(TINY)
    done = command("study", str(tmp_path / "study.yaml"), "--check")
    assert done.returncode == 0
    assert "2 test tasks after 1 tutorial, 1 practice; about 2 minutes, at most 3" in done.stdout
    assert "2 orders by task; breaks: 1" in done.stdout
    assert "Questions: 4 on 3 pages." in done.stdout
    assert "Note:" not in done.stdout
    assert not (tmp_path / "tiny.db").exists()
    (tmp_path / "study.yaml").write_text(TINY.replace("[01-05-01]", "[01-02-01]"))
    noted = command("study", str(tmp_path / "study.yaml"), "--check").stdout
    assert "Note: 01-02-01 is a test task that participants have played before" in noted


PLAIN = (
    TINY[: TINY.index("tutorial:")]
    + """\
test: {tasks: [01-01-01, 01-02-01, 01-06-02], limit_s: 0.6, break_every: 1, limit_minutes: 0.001}
questionnaires:
  - {name: end, when: after, title: T, items: [{id: a, type: text, ask: A}]}
"""
)


@pytest.fixture
def plain(tmp_path, store):
    """A plan without practice, its task source, a store, and a participant."""
    plan = planned(tmp_path, PLAIN)
    return plan, StudyTaskSource(plan), store, flow.enrol(plan, store, "p1", {})


def stage_name(plan, store, person) -> str:
    return flow.current_stage(plan, progress_of(store, person)).name


def test_no_task_starts_after_the_time_limit(plain):
    plan, _, store, me = plain
    assert stage_name(plan, store, me) == "test-1"
    trial = played.begin(store, me)
    assert stage_name(plan, store, me) == "test-1"
    # Eight steps are 0.48 s, of 0.06 s that there are.
    played.finish(store, trial, played.recording())
    assert stage_name(plan, store, me) == "questions-end"


def test_time_that_nobody_played_does_not_count(plain):
    plan, _, store, me = plain
    stopped = PlayEnd("stopped", 0, played.recording())
    write_batch(store.database, [TrialEnd(played.begin(store, me).id, stopped)])
    assert stage_name(plan, store, me) == "break-1"


def test_a_trial_in_which_someone_leaves_says_so(plain):
    plan, _, store, me = plain
    trial = played.begin(store, me)
    played.append(store, played.rows(trial))
    flow.withdraw(store, me, flow.current_stage(plan, progress_of(store, me)))
    (left,) = store.trials(me.id)
    assert (left.ended_by, left.steps_played, left.seconds_played) == ("withdrew", 8, 0.48)
    assert (left.finished_at, left.steps, left.passed) == (None, None, None)


def test_a_test_task_that_cannot_be_resumed_is_never_played_again(plain):
    plan, source, store, me = plain
    first = source.next_task(store, me, Task)
    assert (first.task.id, first.position, first.count, first.max_steps) == ("01-01-01", 0, 3, 10)
    # A different seed than the study's: not the same episode.
    assert source.resumed(store, me, played.begin(store, me), Task) is None
    assert source.next_task(store, me, Task) is None
    assert stage_name(plan, store, me) == "break-1"
    store.note(me.id, "passed", {"stage": "break-1"})
    assert source.next_task(store, me, Task).task.id == "01-02-01"
    assert source.next_task(store, store.add_participant("p1", "other"), Task) is None


def test_a_task_ends_at_its_limit():
    episode = WorkerEpisode(Open(task_named("01-01-01"), 0, 0, max_steps=5))
    stepped = episode.step((3,) * 9)
    episode.close()
    ended_by, steps_played, recording = stepped.end
    assert (stepped.actions, ended_by, steps_played) == ((3,) * 5, "limit", 5)
    # What the score needs besides: standing still until the clock has run out.
    assert recording.steps == 417
    assert recording.total_reward == pytest.approx(-1, abs=1e-5)
    # What the page shows is what was played.
    assert stepped.state.step == 5
    assert stepped.state.total_reward == pytest.approx(-5 / 417, abs=1e-3)


def test_giving_up_immediately_passes_nothing():
    task = task_named("02-10-01")
    assert task.spec.pass_mark == 0
    episode = WorkerEpisode(Open(task, 0, 0, max_steps=1000))
    stopped = episode.stop()
    episode.close()
    assert not stopped.end.recording.passed
    assert (stopped.actions, stopped.end.ended_by, stopped.end.steps_played) == ((), "stopped", 0)


@pytest.mark.parametrize(
    ("version", "ended_by", "steps"), [("4", "health", range(30, 60)), ("2", "time", range(417, 418))]
)
def test_the_end_of_the_clock_is_not_that_of_health(tmp_path, version, ended_by, steps):
    path = tmp_path / "hot.yaml"
    path.write_text(HOT)
    episode = WorkerEpisode(Open(task_named(str(path), None, version), 0, 0))
    end = episode.step((0,) * 500).end
    episode.close()
    assert end.ended_by == ended_by
    assert end.steps_played == end.recording.steps
    assert end.steps_played in steps
