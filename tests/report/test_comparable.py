"""What must not be compared is not: another scoring clock on level 9, and different tasks."""

import math

import pytest

from evaluation.results import results_frame
from human_data.baselines import children_by_task
from report.comparison.differences import NOT_COMPARABLE, compare_tasks, compare_with_groups
from report.comparison.items import correlations
from report.comparison.levels import compare_levels, described
from report.comparison.page import pairs_summary, sections, summary_table, write_comparison
from report.comparison.ranks import outperformed, ranks
from report.comparison.read import read_run
from report.comparison.runs import Run, cautions, shipped_groups
from report.comparison.whole import compare
from report.figures.comparison import draw_items, draw_ranking, draw_spread
from report.tables import cells
from testbed import CHILDREN
from tests.evaluation.runs import rows
from tests.report.test_compared import on_40

GROUPS = shipped_groups(["children", "competition", "agents"])
NINTH = [task for task in CHILDREN if task.startswith("09")]
OTHER_CLOCK = on_40(NINTH, animal_ai="3.1.3")


def test_level_9_under_another_clock_is_left_out_of_overall_differences_and_ranks():
    table = compare_with_groups([OTHER_CLOCK], GROUPS).set_index(["source", "scope"]).sort_index()
    children, agents = (table.loc[[(source, "all")]].iloc[0] for source in ("children", "agents"))
    others = children_by_task().query("level != 9")["pass_rate"].mean()
    assert (children["tasks"], children["rate"]) == (36, 0.0)
    assert children["difference"] == pytest.approx(-others)
    # The agents of arXiv 2312.11414 played v3 themselves.
    assert (agents["tasks"], agents["rate"]) == (40, 0.1)
    ninth = table.loc[[("children", "9")]].iloc[0]
    assert (ninth["pairing"], ninth["rate"]) == (NOT_COMPARABLE, 1.0)
    assert math.isnan(ninth["difference"])
    places = ranks([OTHER_CLOCK])
    assert places[places["scope"] == "all"]["tasks"].tolist() == [36]
    assert "9" not in set(places["scope"])
    assert set(outperformed([OTHER_CLOCK])["scope"]) == {str(each) for each in (1, 2, 3, 4, 5, 6, 7, 8, 10)}
    assert set(correlations([OTHER_CLOCK], GROUPS[:1])["tasks"]) == {36}
    single = compare_tasks([OTHER_CLOCK], GROUPS[:1]).set_index("task_id")
    assert (single.loc[NINTH, "pairing"] == NOT_COMPARABLE).all()
    assert single.loc[NINTH, "difference"].isna().all()
    assert single.drop(index=NINTH)["difference"].notna().all()


@pytest.mark.parametrize("version", [None, "3.1.3", "4"])
def test_every_clock_but_that_of_2019_is_another(version):
    assert on_40((), animal_ai=version).other_clock
    assert not on_40((), animal_ai="2").other_clock


def test_level_9_is_marked_in_the_table_of_levels_and_in_its_figure():
    rates = compare_levels(OTHER_CLOCK.results, same_layouts=True, other_clock={"m/x"})
    names = [cells(row)[0] for row in rates.query("source == 'run'").to_dict("records")]
    assert [name for name in names if "not comparable" in name] == ["m/x, children's tasks (not comparable)"]
    marked = described(rates)
    assert all("Not comparable: level 9" in " ".join(each) for each in (marked.small_print, marked.notes[:1]))
    plain = described(compare_levels(OTHER_CLOCK.results, same_layouts=True))
    assert "Not comparable" not in " ".join(plain.small_print)


def test_figures_mark_level_9_or_leave_the_run_out():
    both = compare([OTHER_CLOCK, on_40(CHILDREN[:8], "m/y")], GROUPS)
    hollow = [line for line in draw_spread(both, []).axes[0].lines if line.get_markerfacecolor() == "white"]
    assert [list(line.get_ydata()) for line in hollow if line.get_marker() == "o"] == [[100.0]]
    strokes = [line for line in draw_items(both, []).axes[1].lines if line.get_marker() == (2, 2, -45)]
    assert [len(line.get_xdata()) for line in strokes] == [4, 0]
    words = [text.get_text() for text in draw_ranking(both, []).axes[0].texts]
    assert "m/y" in words
    assert "m/x" not in words
    assert draw_ranking(compare([OTHER_CLOCK], GROUPS), []) is None


def test_the_run_is_not_one_of_the_68_teams():
    compared = compare([on_40(())], GROUPS)
    rank = sections(compared)["ranks"]
    assert rank.rows[0][6] == "65 of 68"
    assert "69" not in str(rank)
    (standing,) = map(str, summary_table(compared).columns[3].cells)
    assert standing.startswith("66 [")
    assert "65 of 68 teams better" in standing


def run_on(tasks, agent, passed=True, original=False, **facts):
    return Run(agent, results_frame(rows({task: [passed] for task in tasks}, agent)), original, "2", **facts)


def test_runs_on_different_tasks_are_not_compared_without_saying_so():
    one, other = run_on(["01-01-01", "01-02-01"], "a"), run_on(["01-02-01", "01-03-01"], "b", False)
    compared = compare([one, other], ())
    assert any("a was played on 2 and b on 2" in text and "share 1" in text for text in compared.cautions)
    assert compared.tables["comparisons"].iloc[0]["tasks"] == 1
    alone = compare([one, run_on(["01-03-01"], "b")], ())
    assert any("share none" in text for text in alone.cautions)
    same = run_on(one.task_rates["task_id"], "b")
    assert not any("Different tasks" in text for text in cautions([one, same]))


def test_an_id_that_stands_for_another_task_is_not_paired():
    """Other digests, another battery, or another pass mark: ids alone do not make two tasks the same."""
    ids = ["01-01-01", "01-02-01"]
    one = run_on(ids, "a", digests={"01-01-01": "x", "01-02-01": "y"})
    moved = run_on(ids, "b", digests={"01-01-01": "x", "01-02-01": "z"})
    original = run_on(ids, "b", original=True)
    marked = Run("b", moved.results.assign(pass_mark=[0.0, 1.0]), animal_ai="2")
    for other, paired in ((moved, 1), (original, 0), (marked, 1)):
        compared = compare([one, other], ())
        assert compared.tables["comparisons"].iloc[0]["tasks"] == paired
        assert any("Different tasks" in text for text in compared.cautions)


def test_versions_that_differ_are_named():
    newer = Run("b", run_on(["01-01-01"], "b").results, animal_ai="3.1.3")
    (text,) = [text for text in cautions([run_on(["01-01-01"], "a"), newer]) if "Different versions" in text]
    assert "a 2 and b 3.1.3" in text


def test_the_terminal_has_run_against_run():
    table = pairs_summary(compare([run_on(CHILDREN, "a"), run_on(CHILDREN, "[b]b", False)], ()))
    assert [str(cell) for column in table.columns[:2] for cell in column.cells] == ["a", "[b]b"]
    assert next(map(str, table.columns[3].cells)).startswith("100")
    assert pairs_summary(compare([run_on(CHILDREN, "a")], ())) is None


def test_many_runs_on_different_tasks_have_one_sentence():
    runs = [run_on([f"01-0{place}-01"], f"m/{place}") for place in range(1, 6)]
    (text,) = [text for text in cautions(runs) if "Different tasks" in text]
    assert "10 pairs" in text


def test_a_report_keeps_which_tasks_were_played(tmp_path):
    run = run_on(["01-01-01"], "a", digests={"01-01-01": "x"})
    write_comparison(compare([run], ()), tmp_path, title="T", facts={"Animal-AI": "2"})
    (again,) = read_run(str(tmp_path))
    assert again.digests == {"01-01-01": "x"}
