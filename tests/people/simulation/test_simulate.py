"""Simulated participants go through every page of a study, and what they did is what is exported."""

import csv
import random

import pytest

from people.simulation.simulate import answered
from people.study.branching import is_page_asked
from people.study.load import study_of
from tests.command import command as command
from tests.people.study.server import TINY
from tests.people.study.test_questions import BRANCHES

SHORT = TINY.replace(", unsigned: true", "").replace("tries: 2", "tries: 1, limit_s: 2, tasks: [01-01-01]")
SHORT = SHORT.replace("practice: {tasks: [01-05-01], ", "practice: {")
SHORT = SHORT.replace("[01-02-01, 01-06-02]", "[01-02-01, 01-06-02]\n  limit_s: 2")


def rows(path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


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
        played = sum(float(row["seconds_played"]) for row in mine) / 60
        assert (
            f"{len(mine)} trials of which {sum(row['passed'] == 'True' for row in mine)} passed, "
            in done.stdout
        )
        assert f"{played:.1f} minutes of play" in done.stdout
        answers = {
            (row["page"], row["item"]): row["value"]
            for row in rows(out / "answers.csv")
            if row["participant"] == code
        }
        assert answers.keys() == {
            ("background", "age"),
            ("mood-1", "tired"),
            ("afterwards", "again"),
            ("afterwards", "how"),
        }
        assert 5 <= int(answers["background", "age"]) <= 120
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
