"""The gap between the public battery and a hidden split of it."""

import pytest

from arena import EvaluationError
from evaluation.results import results_frame
from report.comparison.contamination import contamination
from report.comparison.page import gaps_summary, sections
from report.comparison.runs import Run
from report.comparison.whole import compare
from tests.evaluation.runs import rows

CONDITIONS = [(level, task) for level in (1, 2) for task in range(1, 11)]


def run_on(ids, passed, agent="m/x", **facts):
    trials = [row for task in ids for row in rows({task: [passed(task)]}, agent, int(task[:2]))]
    return Run(agent, results_frame(trials), **{"animal_ai": "3.1.3", **facts})


PUBLIC = [f"{level:02d}-{task:02d}-{variant:02d}" for level, task in CONDITIONS for variant in (1, 2, 3)]
HIDDEN = [f"{level:02d}-{task:02d}-{variant:04d}" for level, task in CONDITIONS for variant in (1, 2, 3)]


def easy(task):
    return int(task[3:5]) <= 6


def seen(task):
    return easy(task) or task.endswith("-01")


def test_a_run_that_knows_some_of_the_files_has_a_gap():
    table = contamination([run_on(PUBLIC, seen)], [run_on(HIDDEN, easy)]).set_index("scope")
    whole = table.loc["all"]
    assert (whole["pairs"], whole["public_tasks"], whole["hidden_tasks"]) == (20, 60, 60)
    assert whole["gap"] == pytest.approx(0.4 / 3)
    assert 0 < whole["low"] < whole["gap"] < whole["high"]
    assert whole["p"] < 0.05
    assert set(table.index) == {"all", "1", "2"}


def test_without_contamination_the_gap_is_0_and_pairs_take_out_difficulty():
    table = contamination([run_on(PUBLIC, easy)], [run_on(HIDDEN[:33], easy)])
    assert (table["gap"] == 0).all()
    assert table.iloc[0]["pairs"] == 11
    assert table.iloc[0]["public_tasks"] == 33


def test_it_stands_in_the_comparison():
    compared = compare([run_on(PUBLIC, seen)], (), [run_on(HIDDEN, easy)])
    table = sections(compared)["contamination"]
    assert table.rows[0][:5] == ("all", "m/x", "60 and 60", "73", "60")
    summary = [str(next(iter(column.cells))) for column in gaps_summary(compared).columns[:4]]
    assert summary == ["m/x", "60 and 60", "73", "60"]
    assert gaps_summary(compare([run_on(PUBLIC, seen)], ())) is None


OURS = run_on(PUBLIC, easy)
WRONG = [
    (OURS, run_on(HIDDEN, easy, "m/other"), "expected one of m/x"),
    (OURS, OURS, "the same tasks twice"),
    (OURS, run_on(HIDDEN, easy, animal_ai="2"), "Animal-AI 3.1.3 on the public tasks and 2 on the hidden"),
    (OURS, run_on(["09-01-0001"], easy), "play the same levels"),
    (run_on(PUBLIC, easy, original=True), run_on(HIDDEN, easy), "got another folder"),
]


@pytest.mark.parametrize(("public", "hidden", "words"), WRONG)
def test_what_is_no_hidden_split_of_the_run_is_refused(public, hidden, words):
    with pytest.raises(EvaluationError, match=words):
        contamination([public], [hidden])
