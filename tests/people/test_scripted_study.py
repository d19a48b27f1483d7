"""Scripted participants: the export agrees with what they did, and the check notices if not."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from people.simulation.simulate import serving
from people.store import Store
from people.store.export import export
from people.study.plan import load_plan
from tests.command import command as command
from tests.people.agreement import LEFT, REFUSED, disagreements
from tests.people.scripted_study import STUDY, KilledServer, Script, ScriptedParticipant, play

SCRIPTS = (Script(disconnect=True), Script(refuse=True), Script(leave_in=1), Script(stop=True))


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder of a study that was played, its plan and the participants' diaries."""
    folder, plan = tmp_path_factory.mktemp("scripted"), load_plan(STUDY)
    with Store(str(folder / "study.db")) as store:
        with serving(plan, store, 1) as url, ThreadPoolExecutor(len(SCRIPTS)) as threads:
            people = [
                ScriptedParticipant(plan.study, url, number, script, threading.Lock())
                for number, script in enumerate(SCRIPTS)
            ]
            diaries = list(threads.map(lambda person: person.run(), people))
        export(store, plan.study.name, folder / "data")
    return folder, plan, diaries


def test_what_was_played_is_what_is_exported(played, command):
    folder, plan, diaries = played
    assert [each.ending for each in diaries] == ["completed", REFUSED, LEFT, "completed"]
    assert list(disagreements(folder / "data", plan, diaries)) == []
    verified = command("verify", folder / "data" / "recordings")
    assert verified.returncode == 0, verified.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "column", "said"),
    [
        ("trials.csv", "steps_played", "the page was told"),
        ("trials.csv", "total_reward", "scored"),
        ("trials.csv", "ended_by", "ended_by"),
        ("actions.csv", "action", "was held"),
        ("answers.csv", "value", "answer"),
        ("participants.csv", "participant", "participants"),
    ],
)
def test_the_check_notices_a_changed_value(played, tmp_path, table, column, said):
    folder, plan, diaries = played
    for path in (folder / "data").glob("*.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    header, first, *rest = (tmp_path / table).read_text().splitlines()
    place, cells = header.split(",").index(column), first.split(",")
    cells[place] = {"action": "8"}.get(column, "7")
    (tmp_path / table).write_text("\n".join([header, ",".join(cells), *rest]) + "\n")
    found = list(disagreements(tmp_path, plan, diaries))
    assert any(said in problem for problem in found), found


@pytest.mark.slow
def test_thirty_participants_lose_nothing_while_the_server_is_killed(tmp_path, command):
    database, plan = f"sqlite:///{tmp_path}/study.db", load_plan(STUDY)
    with KilledServer(STUDY, database, 2) as server:
        diaries = play(server, plan, 30, 8)
    assert server.kills["server"] > 0
    with Store(database) as store:
        done = export(store, plan.study.name, tmp_path / "data", bids=True)
    assert list(disagreements(tmp_path / "data", plan, diaries)) == []
    recordings = tmp_path / "data" / "recordings"
    assert sum(len(list(path.iterdir())) for path in recordings.iterdir()) == done.recordings
    assert command("verify", recordings).returncode == 0
