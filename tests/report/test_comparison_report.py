"""What is read and what is written: places of runs, figures by their content, the page and the tables."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from arena import EvaluationError
from evaluation.results import results_frame
from evaluation.statistics import clustered_interval, pass_rates
from human_data.baselines import children_by_task, children_passed_of_level
from report.comparison.page import summary_table, write_comparison
from report.comparison.read import read_run, read_runs_apart
from report.comparison.runs import ReferenceGroup, Run, shipped_groups
from report.comparison.whole import compare
from report.figures.comparison import draw_capacities, draw_items, draw_ranking, draw_spread
from report.figures.look import COLUMN, PAGE_HEIGHT, PAGE_WIDTH
from testbed import CHILDREN
from tests.evaluation.runs import level, rows
from tests.report.lettering import assert_readable, texts
from tests.report.test_compared import on_40

LONG = "openrouter/meta-llama/llama-3.2-90b-vision-instruct"
GROUPS = shipped_groups(["children", "competition"])


def compared(*agents, original=True, groups=GROUPS):
    passed = [set(CHILDREN[: 11 * place]) for place in range(len(agents))]
    runs = [on_40(those, name, original) for name, those in zip(agents, passed, strict=True)]
    return compare(runs, groups)


@pytest.fixture(scope="module")
def usual():
    return compared("arena/random", "arena/pixels", "arena/oracle")


CASES = {
    "other tasks": lambda: compared("arena/random", LONG, original=False),
    "many": lambda: compared(LONG, "a/b", "c/d", "e/f", groups=GROUPS[:2]),
    "odd name": lambda: compared(r"$\bad_{$ <b>" + "W" * 60),
    "one level": lambda: compare([Run("m/x", results_frame(level(4, 6)))], GROUPS),
    "no one else": lambda: compare([Run("m/x", results_frame(rows({"x": [True]}, level=0)))], GROUPS),
    "no verdict": lambda: compare([Run("m/x", results_frame(rows({CHILDREN[0]: [None]})))], GROUPS),
    "children alone": lambda: compared("m/x", groups=shipped_groups(["children"])),
}
DRAWERS = (draw_spread, draw_ranking, draw_items, draw_capacities)


@pytest.fixture(scope="module", params=CASES)
def figures(request):
    found = CASES[request.param]()
    drawn = [draw(found, ["Where it comes from; " * 12]) for draw in DRAWERS]
    figures = [figure for figure in drawn if figure is not None]
    for figure in figures:
        FigureCanvasAgg(figure).draw()
    return figures


def test_figures_fit_a_page_and_no_letters_are_covered_cut_or_tiny(figures):
    for figure in figures:
        assert_readable(figure)
        assert figure.get_figwidth() in (COLUMN, PAGE_WIDTH)
        assert figure.get_figheight() <= PAGE_HEIGHT
        assert all(text.get_fontsize() >= 5 for text in texts(figure))


def test_marks_stand_at_the_rates(usual):
    axes = draw_spread(usual, []).axes[0]
    marks = {line.get_color(): line.get_ydata() for line in axes.lines if line.get_marker() in "os^"}
    assert list(marks["#D55E00"]) == [0.0] * 10
    assert list(marks["#009E73"]) == [100, 100, 75, *[0] * 7]


def test_bars_add_up_to_all_children_and_all_teams(usual):
    widths = [patch.get_width() for patch in draw_spread(usual, []).axes[0].patches]
    # Half a level's width is 0.22 levels: all 68 teams and 36 of 59 children passed none of level 10.
    assert sum(w for w in widths if w > 0) == pytest.approx(10 * 0.22)
    most = children_passed_of_level()["children"].max() / 59
    assert -sum(w for w in widths if w < 0) == pytest.approx(10 * 0.22 / most)


def test_the_ranking_tells_rank_and_children(usual):
    words = "\n".join(text.get_text() for text in texts(draw_ranking(usual, [])))
    assert re.search(r"^rank 66 \[\d+–\d+\] among 68 teams, above 2 % of children$", words, re.MULTILINE)
    steps = [line.get_ydata() for axes in draw_ranking(usual, []).axes for line in axes.lines]
    assert any(len(step) == 41 and step[0] == pytest.approx(100 * 2 / 59) for step in steps)


def test_the_tasks_are_in_the_childrens_order(usual):
    figure = draw_items(usual, [])
    names = [label.get_text() for label in figure.axes[1].get_xticklabels()]
    rates = children_by_task().set_index("task_id")["pass_rate"]
    assert sorted(names) == sorted(CHILDREN)
    assert rates[names].is_monotonic_decreasing
    assert figure.axes[1].images[0].get_array().shape == (3, 40, 3)


@pytest.fixture(scope="module")
def written(usual, tmp_path_factory):
    """The folder of a comparison on the original tasks, where an earlier one and a user have left files."""
    folder = tmp_path_factory.mktemp("written")
    (folder / "mine.png").write_text("")
    write_comparison(compared("m/x", original=False), folder, title="T", facts={})
    assert (folder / "capacities.png").exists()
    write_comparison(usual, folder, title="T", facts={})
    return folder


def test_figures_without_anything_to_show_are_left_out(written):
    assert not (written / "capacities.png").exists()
    assert (written / "mine.png").exists()
    assert (written / "index.html").read_text().count("<img") == 4


def test_the_page_of_runs_on_other_tasks_has_no_children_and_no_teams(tmp_path):
    found = compared("<b>&", "m/y", original=False)
    page = write_comparison(found, tmp_path, title="T", facts={}).read_text()
    assert page.count("<img") == 3
    assert not [name for name in ("ranking", "items") if (tmp_path / f"{name}.png").exists()]
    assert "Other tasks: those of &lt;b&gt;&amp; and m/y" in page
    for heading in ("Differences", "Rank among the teams", "Children outperformed", "Failing where others"):
        assert f"<h2>{heading}" not in page


def test_the_page_has_figures_captions_cautions_and_tables(tmp_path):
    found = compared("<b>&", "m/y")
    page = write_comparison(found, tmp_path, title="T", facts={"runs": "<i>"}).read_text()
    for name in ("spread", "ranking", "items"):
        for ending in ("png", "svg", "pdf"):
            assert (tmp_path / f"{name}.{ending}").stat().st_size > 1000
    assert page.count("<img") == 4
    assert "The tasks of &lt;b&gt;&amp; and m/y are the original" in page
    assert "their SHA-256 is not recorded" in page
    assert "<b>&" not in page
    for heading in ("Differences", "Rank among the teams", "Children outperformed", "Failing where others"):
        assert heading in page


def test_every_table_is_a_file(written):
    names = ("differences", "tasks", "ranks", "outperformed", "capacities", "correlations", "comparisons")
    for name in names:
        assert len(pd.read_csv(written / f"{name}.csv")), name


def test_childrens_numbers_in_the_files_are_those_of_the_baselines(written):
    table = pd.read_csv(written / "tasks.csv").query("source == 'children'")
    ours = table.drop_duplicates("task_id").set_index("task_id")["group_rate"]
    known = children_by_task().set_index("task_id")["pass_rate"]
    assert (ours[known.index] - known).abs().max() <= 0.00005
    levels = pd.read_csv(written / "levels.csv").query("source == 'children'")
    assert (levels["passes"].sum(), levels["trials"].sum()) == (1320, 2360)


def test_the_summary_is_a_line_per_run(usual):
    assert summary_table(usual).row_count == 3


def report_folder(folder, agent="m/x"):
    found = compare([on_40(CHILDREN[:3], agent)], GROUPS)
    write_comparison(found, folder, title="T", facts={"Animal-AI": "2"})
    return folder


def test_a_report_says_how_it_was_played(tmp_path):
    (run,) = read_run(str(report_folder(tmp_path / "a")))
    assert (run.agent, run.original, run.animal_ai) == ("m/x", True, "2")
    (same,) = read_run(str(tmp_path / "a" / "results.csv"), "new")
    assert (same.agent, same.original, same.animal_ai) == ("new", True, "2")
    assert not same.partial
    table = pd.read_csv(tmp_path / "a" / "results.csv").assign(error="not run")
    table.to_csv(tmp_path / "a" / "results.csv", index=False)
    (tmp_path / "a" / "run.json").write_text("[]")
    (bare,) = read_run(str(tmp_path / "a"), animal_ai="3.1.3")
    assert (bare.original, bare.animal_ai) == (False, "3.1.3")
    assert bare.partial.endswith("trials were not run.")


def test_runs_are_joined_under_their_names(tmp_path):
    place = str(report_folder(tmp_path))
    both = compare(read_runs_apart([(None, place), ("again", place)]), ()).results
    assert both["agent"].value_counts().to_dict() == {"m/x": 40, "again": 40}
    assert both.index.is_unique
    assert isinstance(both["passed"].dtype, pd.BooleanDtype)


def test_tables_of_several_agents_and_parquet_are_read(tmp_path):
    pytest.importorskip("pyarrow")
    frame = results_frame(level(1, 3, agent="a") + level(1, 5, agent="b"))
    frame.to_parquet(tmp_path / "both.parquet")
    assert [run.agent for run in read_run(str(tmp_path / "both.parquet"))] == ["a", "b"]
    with pytest.raises(EvaluationError, match="holds 2 agents, but 'x' can name only one"):
        read_run(str(tmp_path / "both.parquet"), "x")
    (tmp_path / "broken.parquet").write_text("no")
    with pytest.raises(EvaluationError, match="not valid Parquet"):
        read_run(str(tmp_path / "broken.parquet"))


def test_what_is_no_run_is_one_sentence(tmp_path):
    with pytest.raises(EvaluationError, match="neither a report"):
        read_run(str(tmp_path))
    with pytest.raises(EvaluationError, match="no such log"):
        read_run(str(tmp_path / "absent.eval"))
    report_folder(tmp_path / "a")
    with pytest.raises(EvaluationError, match="distinguish them"):
        read_runs_apart([(None, str(tmp_path / "a")), (None, str(tmp_path / "a"))])


def of_people(*people):
    """The table of a study: results of each participant, by code and how they played."""
    parts = [results_frame(rows).assign(participant=code, mode=mode) for code, mode, rows in people]
    return pd.concat(parts)


def test_the_people_of_a_study_are_runs_apart_from_its_agents(tmp_path):
    by_keys = [(f"p{k}", "keys", level(1, 2 + k, agent="person")) for k in (1, 2)]
    others = [("p3", "scripts", level(1, 1, agent="person")), ("m-1", "scripts", level(1, 9, agent="m"))]
    of_people(*by_keys, *others).to_csv(tmp_path / "study.csv", index=False)
    runs = read_run(str(tmp_path / "study.csv"), "people")
    assert [run.agent for run in runs] == ["people", "people (scripts)", "m"]


PASSED = (1, 2, 6, 10, 11)
"""How many of twelve tasks each of five people passes, the first ones."""


def exported(folder):
    """An export of people."""
    people = [(f"who{k}", "keys", level(1, passed, agent="person")) for k, passed in enumerate(PASSED)]
    of_people(*people).to_csv(folder / "results.csv", index=False)
    return str(folder / "results.csv")


def test_people_are_one_run_with_intervals_over_people(tmp_path):
    for place in (exported(tmp_path), str(tmp_path)):
        (run,) = read_run(place, "people")
        assert (run.agent, len(run.results), run.results["participant"].nunique()) == ("people", 60, 5)
        rates = pass_rates(run.results).iloc[0]
        assert (rates["passes"], rates["trials"], rates["pass_rate"]) == (30, 60, 0.5)
        over_people = clustered_interval(np.array(PASSED, float), np.full(5, 12.0))
        assert (rates["low"], rates["high"]) == over_people
        over_tasks = pass_rates(run.results.drop(columns="participant")).iloc[0]
        assert over_people != (over_tasks["low"], over_tasks["high"])
    spread = np.std([passed / 12 for passed in PASSED], ddof=1) / 5**0.5
    assert run.error(list(run.results["task_id"])) == pytest.approx(spread)


def test_the_sampling_of_people_is_in_every_difference(tmp_path):
    (found,) = read_run(exported(tmp_path), "people")
    people = Run("people", found.results, True)
    model = Run("m/x", results_frame(level(1, 9, agent="m/x")), True)
    apart = Run("people", people.results.drop(columns="participant"), True)
    same = pd.Series(0.5, index=people.results["task_id"].unique())

    def widths(run):
        tables = compare([run, model], [ReferenceGroup("others", "published", same, 3)]).tables
        rows = [tables["comparisons"].iloc[0], tables["differences"].iloc[0]]
        assert [row["agent"] for row in rows] == ["people", "people"]
        return [row["high"] - row["low"] for row in rows]

    assert all(ours > theirs + 0.1 for ours, theirs in zip(widths(people), widths(apart), strict=True))
    page = write_comparison(compare([people, model], []), tmp_path / "out", title="T", facts={})
    assert "who0" not in page.read_text() + (tmp_path / "out" / "results.csv").read_text()
