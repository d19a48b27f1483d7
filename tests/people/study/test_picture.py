"""The check of the picture before the first task, and the picture that is fixed for a study."""

import pytest

from arena.errors import ConfigError
from people.play.pacing import Picture, displayed
from people.study import flow
from people.study.flow import StudyTaskSource
from people.study.progress import progress_of
from testbed import Task
from tests.people.play.server import Page
from tests.people.store import played
from tests.people.study.server import TINY, StudyServer, planned
from tests.people.study.walk import Walker

PICTURE = TINY[: TINY.index("tutorial:")] + "test: {tasks: [01-01-01]}\npicture: {tries: 2%s}\n"
AT = -1
"""The position of the check's trials, here."""


@pytest.mark.parametrize(
    ("seconds", "ages", "keys", "good"),
    [
        (20, [20] * 330, [60, 70, 80], True),
        (20, [20] * 330, [], False),
        (20, [20] * 290, [60, 70, 80], False),
        (20, [20] * 330, [60, 400, 500], False),
        (9, [20] * 149, [60, 70, 80], False),
        (0, [], [], False),
    ],
)
def test_a_picture_is_good_if_all_that_was_measured_is(seconds, ages, keys, good):
    assert Picture().is_good(displayed(seconds, ages, keys)) is good


def checked(plan, store, me, good: bool) -> str:
    """The stage after a trial of the check in which the picture was or was not good."""
    trial = played.begin(store, me, position=AT)
    played.finish(store, trial, played.recording(trial.trial))
    store.note(me.id, "picture", {"trial": trial.id, "good": good})
    return flow.current_stage(plan, progress_of(store, me)).name


@pytest.mark.parametrize(
    ("options", "test", "goods", "stages"),
    [
        ("", False, [True], ["test-1"]),
        ("", False, [False, True], ["picture-1", "test-1"]),
        ("", False, [False, False], ["picture-1", "device"]),
        (", if_failed: continue", False, [False, False], ["picture-1", "test-1"]),
        ("", True, [False, False], ["picture-1", "test-1"]),
    ],
)
def test_who_never_sees_well_does_not_take_part(tmp_path, store, options, test, goods, stages):
    plan = planned(tmp_path, PICTURE % options)
    me = flow.enrol(plan, store, "test-1" if test else "p1", {}, test=test)
    assert [checked(plan, store, me, good) for good in goods] == stages


def test_agents_need_no_check(tmp_path, store):
    plan = planned(tmp_path, PICTURE % "")
    person = flow.enrol(plan, store, "p1", {})
    agent = store.add_participant("a1", "tiny", kind="policy", agent="arena/pixels")
    store.note(agent.id, "order", {"tasks": ["01-01-01"], "row": 0})
    found = [StudyTaskSource(plan).next_task(store, each, Task).task.id for each in (person, agent)]
    assert found == ["picture", "01-01-01"]


def look(server, walker, *keys: int) -> dict:
    """Play the check to its end, with other keys every few steps; returns the server's description of it."""
    with Page(server, walker.token) as page:
        trial = page.until("trial")
        page.do("start")
        for steps, key in enumerate(keys, start=1):
            page.steps(6 * steps)
            page.do("keys", action=key)
            if steps == 5:
                page.do("pause", reason="key")
                page.until("paused")
                page.do("start")
        frame = page.until("frame")["frame"]
        end = page.until("end")
        page.do("next")
        page.until("trial", "over")
    walker.open()
    return {**trial, "text": end["text"], "seen": (frame.size, frame.quality)}


def test_a_page_is_measured_and_shown_the_fixed_picture(tmp_path):
    options = ", tries: 1, seconds: 5, frames_per_s: 8, key_ms: 1000, fixed: {size: 384, quality: 60}"
    with StudyServer(tmp_path, PICTURE.replace("tries: 2", "") % options.removeprefix(", ")) as server:
        walker = Walker(server, "drives").agree()
        seen = look(server, walker, *(3, 1) * 5)
        assert (seen["check_s"], seen["seen"], seen["count"]) == (5, (384, 60), None)
        assert seen["text"] == "This device shows the game well."
        assert walker.at_a_task
        (note,) = server.notes(walker.token, "picture")
        assert note["good"]
        assert note["frames_per_s"] >= 8
        # A pause does not count, and what was seen before it does.
        assert 4 < note["seconds"] < 6
        assert 0 < note["age_ms"] < note["key_ms"] < 1000
        assert (note["viewport"], note["input"]) == ([1280, 800], "keys")
        # Without any key nobody knows how late they would be seen.
        still = Walker(server, "still").agree()
        assert look(server, still)["text"].startswith("The pictures come too slowly.")
        assert "On this device, or over this connection, the pictures come too slowly" in still.page.text


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (("tries: 2", "fixed: {size: 1024, quality: 60}"), "picture.fixed.size: got '1024', expected at"),
        (("test: {", "mode: scripts\ntest: {"), "picture applies to arenas played with keys"),
    ],
)
def test_what_cannot_be_checked_is_refused(tmp_path, change, error):
    with pytest.raises(ConfigError, match=error):
        planned(tmp_path, (PICTURE % "").replace(*change))
