"""Runs beside others: differences, ranks, children outperformed, capacities, correlations, cautions."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, norm, spearmanr

from arena import EvaluationError
from evaluation.results import results_frame
from human_data.baselines import children_by_task, competition_by_task
from report.comparison.differences import Estimate, _paired, compare_tasks, compare_with_groups, difference
from report.comparison.items import correlations, kendall, spearman
from report.comparison.levels import capacities, demanded
from report.comparison.ranks import ON_900, outperformed, ranks
from report.comparison.runs import NAMES, ReferenceGroup, Run, cautions, played_run, shipped_groups
from report.comparison.whole import compare
from report.figures.comparison import draw_items, draw_ranking, draw_spread
from testbed import CHILDREN, find_tasks
from testbed.originals import NAMES as BATTERIES
from testbed.originals import digests
from tests.evaluation.runs import level, rows


def on_40(passed, agent="m/x", original=True, animal_ai="2", trials=1):
    """A run on the children's tasks that passes those in `passed`; pass marks are the original ones."""
    marks = children_by_task().set_index("task_id")["pass_mark"]
    parts = [rows({task: [task in passed] * trials}, agent, int(task[:2])) for task in CHILDREN]
    frame = results_frame([row for part in parts for row in part])
    return played_run(frame.assign(pass_mark=frame["task_id"].map(marks)), original, animal_ai)


def of_scope(table, scope="all"):
    return table[table["scope"] == scope].iloc[0]


CHILDREN_GROUP = shipped_groups(["children"])


def test_a_run_as_good_as_children_differs_by_nothing():
    twin = ReferenceGroup("twin", "published", pd.Series(dict.fromkeys(CHILDREN, 0.0)) + 0.0, 1)
    row = of_scope(compare_with_groups([on_40(())], [twin]))
    assert row["difference"] == 0
    assert row["low"] < 0 < row["high"]


def test_the_difference_from_children_is_over_the_same_tasks():
    table = compare_with_groups([on_40(CHILDREN[:4])], CHILDREN_GROUP)
    whole, first = of_scope(table), of_scope(table, "1")
    assert (whole["tasks"], whole["pairing"]) == (40, "same tasks")
    assert whole["difference"] == pytest.approx(4 / 40 - 1320 / 2360)
    assert first["difference"] == pytest.approx(1 - 142 / 236)
    assert whole["low"] < whole["difference"] < whole["high"] < 0
    assert first["high"] - first["low"] > 2 * (whole["high"] - whole["low"])


OURS = {task.id: task.sha256 for task in find_tasks() if task.id in CHILDREN}
"""Digests of the shipped tasks under the ids of those that children did."""


@pytest.mark.parametrize("digests", [{}, OURS, dict.fromkeys(CHILDREN, "0" * 64)])
def test_nothing_compares_other_tasks_with_children_and_teams(digests):
    frame = on_40(CHILDREN[:20]).results
    groups = shipped_groups(["children", "competition", "agents", "models"])
    compared = compare([played_run(frame, False, "2", digests=digests)], groups)
    for name in ("differences", "tasks", "ranks", "outperformed", "correlations"):
        assert compared.tables[name].empty, name
    beside = {"linked", "children", "teams"} if digests is OURS else set()
    assert set(compared.rates.table["source"]) == {"run"} | beside
    assert ("No comparison with children" in compared.rates.notes[0]) == (not beside)
    assert compared.tables["item_analysis"]["children_rate"].isna().all()
    assert draw_ranking(compared, []) is None
    assert draw_items(compared, []) is None
    words = [text.get_text() for legend in draw_spread(compared, []).legends for text in legend.get_texts()]
    assert words == ["m/x"]


def test_a_run_on_other_tasks_shares_no_figure_with_children_through_another_run():
    theirs = on_40(CHILDREN[:20])
    ours = played_run(on_40(CHILDREN[:5], "m/y").results, False, "2", digests=OURS)
    compared = compare([theirs, ours], CHILDREN_GROUP)
    assert set(compared.rates.table["source"]) == {"run"}
    assert set(compared.tables["differences"]["agent"]) == {"m/x"}
    words = [text.get_text() for text in draw_ranking(compared, []).axes[0].texts]
    assert ("m/x" in words, "m/y" in words) == (True, False)


def test_digests_say_whether_tasks_are_the_originals_not_the_folder_nor_the_user():
    frame = on_40(CHILDREN[:20]).results
    for name in BATTERIES:
        run = played_run(frame, False, "2", digests=digests(name))
        assert (run.original, run.claimed, run.refuted) == (True, False, "")
        assert "are the original's files, by their SHA-256" in told(run)
        assert ("04-22-01 of m/x is LLM-AAI's" in told(run)) == (name == "llm-aai")
    refuted = played_run(frame, True, "2", digests={**digests("original"), "05-09-01": "0" * 64})
    assert not refuted.original
    assert "1 of 40 tasks of m/x differ from the original's files by SHA-256" in told(refuted)
    assert "the user's word" in told(played_run(frame, True, "2"))


def test_two_rates_are_joined_as_newcombe_does():
    # Newcombe 1998, Statistics in Medicine 17:873, method 10, example (a): 56/70 - 48/80.
    one, other = Estimate(0.8, 0.6921, 0.8768), Estimate(0.6, 0.4905, 0.7005)
    found = difference(one, other)
    assert tuple(found) == pytest.approx((0.2, 0.0524, 0.3339), abs=2e-3)
    assert difference(one, other, 0.5).high < found.high


@pytest.mark.slow
@pytest.mark.parametrize(("tasks", "rate", "alike"), [(4, 0.3, 0.0), (40, 0.05, 0.0), (40, 0.6, 0.7)])
def test_intervals_hold_the_truth(tasks, rate, alike):
    rng = np.random.default_rng(7)
    both = np.array([[1, alike], [alike, 1]])

    def shares(points):
        return (norm.cdf(norm.ppf(share) * 1.4 + points[:, k]) for k, share in enumerate((rate, 0.56)))

    own, theirs = (part.mean() for part in shares(rng.multivariate_normal([0, 0], both, 100_000)))
    ids = [f"01-{place + 1:02d}-01" for place in range(tasks)]
    held = 0
    for _ in range(100):
        first, second = shares(rng.multivariate_normal([0, 0], both, tasks))
        passed = pd.Series(rng.binomial(59, second) / 59, ids)
        group = ReferenceGroup("g", "children", passed, 59, {1: 0.0}, 0.0)
        verdicts = (rng.random(tasks) < first).astype(float)
        rates = pd.DataFrame({"task_id": ids, "level": 1, "rate": verdicts, "trials": 1})
        others = pd.DataFrame({"task_id": ids, "group_rate": group.rates.to_numpy()})
        row = _paired(Run("m/x", results_frame([])), rates, others, group)
        held += row["low"] <= own - theirs <= row["high"]
    assert held >= 90


def test_ranks_count_those_who_passed_more_and_share_places():
    teams = competition_by_task()
    best = teams[teams["team"] == "Trrrrr"]
    row = of_scope(ranks([on_40(set(best[best["passed"]]["task_id"]))]))
    assert (row["passed"], row["better"], row["equal"], row["rank"]) == (18, 0, 2, 1)
    nobody = of_scope(ranks([on_40(())]))
    assert (nobody["better"], nobody["equal"]) == (65, 3)
    assert (nobody["rank"], nobody["teams"]) == (66, 68)
    assert row["low"] <= row["rank"] <= row["high"]


@pytest.mark.parametrize(("level", "tasks"), [(1, 90), (10, 89)])
def test_whole_levels_are_ranked_on_the_900(level, tasks):
    kinds = range(1, 31)
    ids = {f"{level:02d}-{task:02d}-{variant:02d}": [task <= 27] for task in kinds for variant in (1, 2, 3)}
    frame = results_frame(rows(ids, level=level))
    # The original's 10-22-02 has no pass mark.
    frame.loc[frame["task_id"] == "10-22-02", "passed"] = None
    found = ranks([Run("m/x", frame, True)])
    row = found[(found["basis"] == ON_900) & (found["scope"] == str(level))].iloc[0]
    assert (row["tasks"], row["passed"]) == (tasks, pytest.approx(81 - 90 + tasks))
    assert row["low"] <= row["rank"] <= row["high"]


def test_children_outperformed_are_those_with_fewer_and_half_of_the_equal():
    table = outperformed([on_40(CHILDREN[:4])])
    # Of level 1 (reference: 5, 2, 26, 16 and 10 children passed 0 to 4), and none of the other levels'.
    first = of_scope(table, "1")
    assert (first["fewer"] * 59, first["equal"] * 59) == pytest.approx((49, 10))
    assert first["outperformed"] == pytest.approx(54 / 59)
    # Two children passed none, none one, one two and one three, none four of all 40.
    assert of_scope(table)["outperformed"] == pytest.approx(4 / 59)


def test_a_run_that_was_not_given_all_tasks_is_not_placed_among_children():
    run = on_40(CHILDREN)
    lost = run.results[run.results["task_id"] != CHILDREN[0]]
    scopes = set(outperformed([Run("m/x", lost, True, "2")])["scope"])
    assert scopes == {str(number) for number in range(2, 11)}


def test_correlations_are_scipys_and_see_agreement():
    rng = np.random.default_rng(3)
    one, other = rng.integers(0, 4, 30).astype(float), rng.integers(0, 6, 30).astype(float)
    assert spearman(one, other) == pytest.approx(spearmanr(one, other).statistic)
    assert kendall(one, other) == pytest.approx(kendalltau(one, other).statistic)
    easiest = children_by_task().nlargest(20, "pass_rate")["task_id"]
    row = correlations([on_40(set(easiest))], CHILDREN_GROUP).iloc[0]
    assert row["spearman"] > 0.8
    assert row["p"] < 0.001
    assert row["spearman_low"] < row["spearman"] < row["spearman_high"]


def test_what_does_not_vary_has_no_correlation():
    row = correlations([on_40(CHILDREN)], CHILDREN_GROUP).iloc[0]
    assert all(math.isnan(row[key]) for key in ("spearman", "p", "kendall", "spearman_low"))


def test_agreement_between_levels_is_told_from_agreement_within():
    easy = {task for task in CHILDREN if int(task[:2]) in (1, 2, 3, 5, 6)}
    row = correlations([on_40(easy)], CHILDREN_GROUP).iloc[0]
    assert row["p"] < 0.01
    assert row["p_within_levels"] == pytest.approx(1.0)


def test_capacities_are_those_that_the_battery_demands():
    ours = capacities([on_40({"01-04-03"}, original=False)]).set_index("capacity")
    known = demanded()[demanded()["task_id"].isin(CHILDREN)]["capacity"].value_counts()
    assert ours["tasks"].to_dict() == known.to_dict()
    assert set(ours["basis"]) == {"demands"}
    theirs = capacities([on_40({"01-04-03"})])
    assert set(theirs["basis"]) == {"level"}
    assert len(theirs) == 10


def test_single_tasks_have_the_childrens_numbers():
    table = compare_tasks([on_40(CHILDREN)], CHILDREN_GROUP).set_index("task_id")
    known = children_by_task().set_index("task_id")
    assert (table["group_rate"] == known["pass_rate"]).all()
    assert (table["low"] < table["difference"]).all()


def test_all_groups_are_on_the_childrens_tasks():
    groups = shipped_groups(NAMES)
    assert {group.source for group in groups} == {"children", "teams", "agents", "published"}
    assert all(set(group.rates.index) <= set(CHILDREN) for group in groups)
    assert len({group.name for group in groups}) == len(groups)


def told(run):
    return " ".join(cautions([run]))


def test_what_differs_from_the_children_is_said():
    assert "Other tasks" in told(on_40((), original=False))
    assert "Level 9 cannot be compared" in told(on_40((), animal_ai="3.1.3"))
    assert "--animal-ai 2" in told(on_40((), animal_ai="3.1.3"))
    assert "The version of Animal-AI that m/x played is unknown" in told(on_40((), animal_ai=None))
    assert "Different scoring clock: m/x used 3.1.3" in told(on_40((), animal_ai="3.1.3"))
    assert "clock" not in told(on_40(()))
    assert "Other tasks" not in told(on_40(()))
    assert "upper bound" in told(on_40((), "arena/oracle"))
    ours = Run("m/x", results_frame(level(1, 3)), animal_ai="3.1.3")
    assert "Level 9" not in told(ours)


def test_other_pass_marks_refute_that_the_tasks_are_the_original_ones():
    frame = results_frame(rows({"09-03-01": [True]}, level=9))
    run = played_run(frame, True, "2")
    assert not run.original
    assert "do not have the pass mark that children had" in told(run)


def test_everything_is_compared_at_once_and_only_with_whom_was_asked():
    compared = compare([on_40(CHILDREN[:9]), on_40((), "m/y")], shipped_groups(["children"]))
    assert set(compared.rates.table["source"]) == {"run", "children"}
    assert compared.tables["ranks"].empty
    assert set(compared.tables["outperformed"]["agent"]) == {"m/x", "m/y"}
    assert set(compared.tables["comparisons"]["agent"]) == {"m/x"}
    with pytest.raises(EvaluationError, match="no results to compare"):
        compare([], [])
