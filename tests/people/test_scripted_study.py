"""Simulated and scripted participants: the export agrees with what they did, and the check notices if not."""

import random
import threading
from shutil import which

import pytest

from people.simulation.simulate import answered, serving
from people.store import Store
from people.store.export import export
from people.study.branching import is_page_asked
from people.study.load import study_of
from people.study.plan import load_plan
from tests.people import scripted_study
from tests.people.agreement import LEFT, REFUSED, disagreements, rows
from tests.people.scripted_study import SCRIPTS, STUDY, KilledServer, Script, survived
from tests.people.study.server import TINY, planned
from tests.people.study.test_questions import BRANCHES
from tests.suites.setups import needs_package

FOUR = (Script(disconnect=True), Script(refuse=True), Script(leave_in=1), Script(stop=True))


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder of a study that was played, its plan and the participants' diaries."""
    folder, plan = tmp_path_factory.mktemp("scripted"), load_plan(STUDY)
    with Store(str(folder / "study.db")) as store:
        with serving(plan, store, 1) as url:
            diaries = scripted_study.played(plan.study, url, FOUR, 4, threading.Lock())
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
        ("replies.csv", "turn", "the page saw"),
        ("episodes.csv", "turns", "replies"),
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


OTHERS = """\
  - {name: people, suite: boxing, tasks: [morals-prediction-0], choices: {experiments: 4}}
  - {name: house, suite: scienceworld, tasks: [1-1-0021], limit_s: 40}
  - {name: planet, suite: discoveryworld, tasks: [proteomics-easy-0], choices: {steps: 25}}
questionnaires:
"""


@pytest.mark.slow
@needs_package
@pytest.mark.skipif(which("java") is None, reason="ScienceWorld needs Java")
def test_thirty_participants_lose_nothing_while_the_server_is_killed(tmp_path, command):
    text = STUDY.read_text(encoding="utf-8").replace("questionnaires:\n", OTHERS)
    plan, server = planned(tmp_path, text), KilledServer(tmp_path, 2, text)
    try:
        diaries = survived(server, plan.study, 3 * SCRIPTS, 8)
    finally:
        server.server.stop()
    assert server.kills > 0
    with server.server.store() as store:
        done = export(store, plan.study.name, tmp_path / "data", bids=True)
    assert list(disagreements(tmp_path / "data", plan, diaries)) == []
    recordings = tmp_path / "data" / "recordings"
    assert sum(len(list(path.iterdir())) for path in recordings.iterdir()) == done.recordings
    assert command("verify", recordings).returncode == 0


SHORT = TINY.replace(", unsigned: true", "").replace("tries: 2", "tries: 1, limit_s: 2, tasks: [01-01-01]")
SHORT = SHORT.replace("practice: {tasks: [01-05-01], ", "practice: {")
SHORT = SHORT.replace("[01-02-01, 01-06-02]", "[01-02-01, 01-06-02]\n  limit_s: 2")


@pytest.mark.e2e
def test_a_study_is_simulated_before_anyone_plays(tmp_path, command):
    (tmp_path / "study.yaml").write_text(SHORT)
    out = tmp_path / "out"
    done = command("study", str(tmp_path / "study.yaml"), "--simulate", 1, "--out", out, "--workers", 1)
    assert done.returncode == 0, done.stderr
    people = {row["participant"]: row for row in rows(out / "participants.csv")}
    assert [row["test"] for row in people.values()] == ["True"]
    assert sum(f"{code}: completed; " in done.stdout for code in people) == 1
    trials = rows(out / "trials.csv")
    for code in people:
        mine = [row for row in trials if row["participant"] == code]
        assert [row["position"] for row in mine] == ["-2", "-1", "0", "1"]
        assert all(row["finished_at"] and int(row["steps_played"]) > 0 for row in mine)
        minutes = sum(float(row["seconds_played"]) for row in mine) / 60
        passed = sum(row["passed"] == "True" for row in mine)
        assert f"{len(mine)} trials of which {passed} passed, " in done.stdout
        assert f"{minutes:.1f} minutes of play" in done.stdout
        given = [row for row in rows(out / "answers.csv") if row["participant"] == code]
        answers = {f"{row['page']} {row['item']}": row["value"] for row in given}
        assert answers.keys() == {"background age", "mood-1 tired", "afterwards again", "afterwards how"}
        assert 5 <= int(answers["background age"]) <= 120
        assert "completed" in [row["kind"] for row in rows(out / "notes.csv") if row["participant"] == code]
    assert sum(int(row["steps_played"]) for row in trials) == len(rows(out / "actions.csv"))


def test_simulated_participants_answer_what_is_asked_and_fit_the_study():
    study, source = study_of(BRANCHES, "s")[0], random.Random(1)
    for _ in range(20):
        given: dict[tuple[str, str], str] = {}
        for page in study.questionnaires[:3]:
            if not is_page_asked(study, page, given):
                continue
            answers = answered(study, page, given, source)
            given |= {(page.name, item): value for item, value in answers.items()}
        assert 7 <= float(given["background", "age"]) <= 99
        assert (("background", "strength") in given) == (given["background", "glasses"] != "No")
        assert (("grown", "job") in given) == (float(given["background", "age"]) >= 18)
        assert (("driving", "years") in given) == (given.get(("grown", "licence")) == "Yes")
