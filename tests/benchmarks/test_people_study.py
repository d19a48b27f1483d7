"""Scripted participants: exports and comparisons agree with what they did, and the check notices if not."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks.people_study.__main__ import STUDY
from benchmarks.people_study.agree import compared_disagreements, disagreements
from benchmarks.people_study.script import Script, ScriptedParticipant
from people.simulation.simulate import serving
from people.store import Store
from people.store.export import export
from people.study.plan import load_plan
from report.comparison.read import read_run
from report.rates import run_rates
from tests.command import command as command

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


def test_what_was_played_is_what_is_exported_and_compared(played, command):
    folder, plan, diaries = played
    assert [(each.agreed, each.left, each.completed) for each in diaries] == [
        (True, False, True), (False, False, False), (True, True, False), (True, False, True),
    ]  # fmt: skip
    assert list(disagreements(folder / "data", plan, diaries)) == []
    verified = command("verify", folder / "data" / "recordings")
    assert verified.returncode == 0, verified.stdout
    for place in (folder / "data", f"{folder / 'study.db'}#{plan.study.name}"):
        (run,) = read_run(str(place), "people")
        run_rates(run.results).to_csv(folder / "levels.csv", index=False)
        assert list(compared_disagreements(folder / "data", folder / "levels.csv", ["people"])) == []
        assert run.results["person"].nunique() == 3


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
        ("participants_wide.csv", "passed", "participants_wide.csv has passed"),
        ("results_by_participant.csv", "passed", "results_by_participant.csv has"),
    ],
)
def test_the_check_notices_a_changed_value(played, tmp_path, table, column, said):
    folder, plan, diaries = played
    for path in (folder / "data").glob("*.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    header, first, *rest = (tmp_path / table).read_text().splitlines()
    place, cells = header.split(",").index(column), first.split(",")
    cells[place] = {"passed": "False" if cells[place] in ("True", "1") else "True", "action": "8"}.get(
        column, "7"
    )
    (tmp_path / table).write_text("\n".join([header, ",".join(cells), *rest]) + "\n")
    found = list(disagreements(tmp_path, plan, diaries))
    assert any(said in problem for problem in found), found
