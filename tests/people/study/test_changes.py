"""What may be changed while a study runs; its places, and who gives theirs back."""

import csv
import io
import zipfile

import pytest

from arena.errors import ConfigError
from people.store import InvalidRequest
from people.study import flow
from people.study.plan import load_plan
from people.study.progress import all_progress, progress_of, used_cells
from people.study.server import start_or_resume
from tests.cases import cases
from tests.people.study.server import TINY
from tests.people.study.test_flow import CODES, FREE
from tests.people.study.test_preview import previewed
from tests.people.study.walk import Walker, client_of, experimenter_of

CASES = cases(__file__)


def entered(study, code: str) -> Walker:
    walker = Walker(study, "x").agree()
    walker.send("/id", code=code)
    return walker


def edit(tmp_path, text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    return text


def reload(study) -> str:
    return experimenter_of(study).post("/experimenter/reload").text


def versions(store) -> list[tuple[int, list[str]]]:
    notes = [note.data for note in store.study_notes("tiny") if note.kind == "config"]
    return [(note["version"], note["changed"]) for note in notes]


def test_texts_codes_and_quota_change_without_a_restart(app, tmp_path):
    study, store = app(CODES)
    first = entered(study, "A1")
    assert entered(study, "C3").page.status_code == 422
    assert "Nothing has changed" in reload(study)
    changed = edit(
        tmp_path, CODES, ("[A1, B2]", "[A1, C3, B2]"), ("may **stop**", "can **stop**"),
        ("How old are you?", "What is your age?"), ("C1A2", "D4"),
    )  # fmt: skip
    said = reload(study)
    names = ["completion.code", "consent.text", "participants.codes", "questionnaires.0.items.0.ask"]
    assert f"Version 2: {', '.join(names)}" in said
    assert "can <strong>stop" in client_of(study).get("/").text
    assert "What is your age?" in first.visitor.get("/").text
    assert entered(study, "C3").stage == "questions-background"
    edit(tmp_path, changed + "play_words: {Start: Go}\n", ("[A1, C3, B2]", "[A1, C3, B2], quota: 2"))
    assert "Version 3: participants.quota, play_words.Start" in reload(study)
    assert client_of(study).get("/play.words").json() == {"Start": "Go", "language": "en", "speech": False}
    assert "The study is full" in entered(study, "B2").page.text
    assert first.visitor.get("/").status_code == 200
    assert versions(store) == [(1, []), (2, names), (3, ["participants.quota", "play_words.Start"])]


@pytest.mark.parametrize(("old", "new", "name"), CASES["refused"])
def test_what_would_change_the_experiment_is_refused(app, tmp_path, old, new, name):
    study, store = app(CODES)
    walker = entered(study, "A1")
    edit(tmp_path, CODES, (old, new))
    said = reload(study)
    assert "The study continues unchanged." in said
    assert name in said
    assert versions(store) == [(1, [])]
    assert "A tiny study" in walker.visitor.get("/").text


def test_a_change_ends_previews_that_it_would_break(app):
    study, store = app()
    previewed(study, store).agree()
    changed = TINY.replace("01-06-02", "01-06-03")
    app(TINY.replace("A tiny study", "Small"))
    (me,) = store.participants("tiny", test=True)
    assert progress_of(store, me).ending is None
    app(changed)
    assert progress_of(store, me).ending.name == "withdrawn"
    walker = Walker(study, "p1").agree()
    refused = r"1 of 1 participants in .*study.db are in the middle .*changed since: .* test\.0\.tasks\.1"
    with pytest.raises(InvalidRequest, match=refused):
        app(TINY)
    app(changed.replace("C1A2", "OTHER") + "words: {agree: Count me in}\n")
    walker.send("/withdraw")
    app(TINY)


FULL = "The study is full"


def test_newcomers_are_turned_away_when_the_study_is_full_however_long_ago_the_others_came(app, later):
    study, store = app(FREE.replace("from: free", "from: free, quota: 2"))
    waiting = Walker(study, "x").agree()
    first, second = entered(study, "A1"), entered(study, "A2")
    assert second.stage == "questions-background"
    later(60 * 24 * 365)
    assert FULL in client_of(study).get("/").text
    assert FULL in waiting.send("/id", code="A3").text
    later(0)
    assert len(store.participants("tiny")) == 2
    assert first.visitor.get("/").status_code == 200
    assert "I agree" in previewed(study, store).page.text
    first.send("/withdraw")
    assert entered(study, "A4").stage == "questions-background"


TWO = FREE.replace("from: free", "from: free, quota: 2, timeout: 90 min")


@pytest.fixture
def later(monkeypatch):
    """Lets minutes pass."""
    clock = flow.time.time

    def passes(minutes: float) -> None:
        monkeypatch.setattr(flow.time, "time", lambda: clock() + 60 * minutes)

    return passes


def ending(store, walker):
    found = progress_of(store, store.participant(walker.token)).ending
    return found and found.name


def absent(store, code):
    return store.notes(store.participant_of("tiny", code).id)[-1].data.get("by")


def test_who_does_nothing_for_the_timeout_gives_the_place_back(app, later):
    study, store = app(TWO)
    first, second = entered(study, "A1"), entered(study, "A2")
    later(89)
    assert FULL in client_of(study).get("/").text
    later(91)
    assert FULL not in client_of(study).get("/").text
    assert absent(store, "A1") == absent(store, "A2") == "timeout"
    assert not used_cells(store, "tiny")
    assert entered(study, "A3").stage == "questions-background"
    # One place is left: who comes first has it.
    second.open()
    assert second.stage == "questions-background"
    assert FULL in first.open().text
    assert (ending(store, first), ending(store, second)) == ("left", None)
    second.send("/withdraw")
    first.open()
    assert first.stage == "questions-background"
    assert ending(store, first) is None


def test_the_experimenter_marks_who_has_left(app, monkeypatch):
    study, store = app(TWO)
    walker = entered(study, "A1")
    experimenter = experimenter_of(study)
    busy = experimenter.post("/experimenter/person/A1/left")
    assert (busy.status_code, ending(store, walker)) == (409, None)
    monkeypatch.setattr("people.study.server.PRESENT_S", 0.0)
    assert "Mark as left" in experimenter.get("/experimenter/person/A1").text
    assert experimenter.post("/experimenter/person/A1/left").status_code == 303
    assert ending(store, walker) == "left"
    assert "Mark as left" not in experimenter.get("/experimenter/person/A1").text
    assert experimenter.post("/experimenter/person/A1/left").status_code == 409
    data = zipfile.ZipFile(io.BytesIO(experimenter.get("/experimenter/export.zip").content))
    wide = next(name for name in data.namelist() if name.endswith("participants_wide.csv"))
    rows = list(csv.DictReader(io.StringIO(data.read(wide).decode("utf-8-sig"))))
    assert [row["ending"] for row in rows] == ["left"]
    assert client_of(study).post("/experimenter/person/A1/left").status_code == 401


def test_who_has_left_does_not_hold_up_a_change_of_the_file(app, later, tmp_path):
    study, store = app(TWO)
    entered(study, "A1")
    later(91)
    (tmp_path / "study.yaml").write_text(TWO.replace("01-06-01", "01-07-01"), encoding="utf-8")
    start_or_resume(store, load_plan(tmp_path / "study.yaml"))
    assert [each.ending.name for each in all_progress(store, "tiny")] == ["left"]


@pytest.mark.parametrize("timeout", ["90", "0 min", "soon", "-5 min", "1.5 h"])
def test_a_timeout_has_a_unit(app, timeout):
    with pytest.raises(ConfigError, match=r"study\.yaml:\d+: participants\.timeout"):
        app(TWO.replace("90 min", f'"{timeout}"'))
