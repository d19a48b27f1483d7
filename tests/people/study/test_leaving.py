"""Participants who close the tab give their place back, and may come back while there is one."""

import csv
import io
import zipfile

import pytest

from arena.errors import ConfigError
from people.study import flow
from people.study.plan import load_plan
from people.study.progress import all_progress, progress_of, used_cells
from people.study.server import start_or_resume
from tests.people.study.test_changes import entered
from tests.people.study.test_flow import FREE
from tests.people.study.walk import client_of, experimenter_of

TWO = FREE.replace("from: free", "from: free, quota: 2, timeout: 90 min")
FULL = "The study is full"


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


def test_without_a_timeout_a_place_is_kept(app, later):
    study, _ = app(TWO.replace(", timeout: 90 min", ""))
    entered(study, "A1"), entered(study, "A2")
    later(60 * 24 * 365)
    assert FULL in client_of(study).get("/").text


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
