"""The figure as a reader sees it: positions and boxes after drawing, pixels where nothing else will do."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb

from evaluation.results import results_frame
from report.comparison.levels import compare_levels
from report.figures.groups import OTHERS, draw_groups
from report.figures.look import COLUMN, PAGE_HEIGHT, run_styles, save, width, wrap
from tests.evaluation.runs import level, rows
from tests.report.lettering import assert_readable

LONG = "openrouter/meta-llama/llama-3.2-90b-vision-instruct"
MODELS = ("openai/gpt-4o", "anthropic/claude-sonnet-4-5", "google/gemini-2.5-pro", LONG, "m/fifth")
NOTE = "Where it comes from; " * 12


NO_CRITERION = [replace(row, error=None) for row in rows({"x": [None]}, level=3)]

CASES = {
    "one level": level(4, 6),
    "three levels": [row for number in (1, 2, 3) for row in level(number, 3 * number)],
    "ten levels": [row for number in range(1, 11) for row in level(number, 12 - number)],
    "several models": [
        row for number in (1, 2) for place in range(5) for row in level(number, place, 12, MODELS[place])
    ],
    "ten levels of several models": [
        row for number in range(1, 11) for agent in MODELS for row in level(number, 2, 12, agent)
    ],
    "nothing and everything": level(1, 0) + level(10, 12) + level(1, 12, agent="b") + level(10, 0, agent="b"),
    "no one else": rows({"x": [True], "y": [False]}, level=0),
    "one trial": rows({"x": [True]}, level=9),
    "no verdict": rows({"x": [None]}, level=3) + level(3, 4, agent=LONG),
    "some missing": rows({"x": [None, True, False, False], "y": [None, True]}, level=3),
    "no criterion": NO_CRITERION + level(3, 4, agent=LONG),
    "odd names": level(2, 3, agent=r"$\bad_{$ <b>") + level(2, 3, agent="W" * 60),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    comparison = compare_levels(results_frame(CASES[request.param]))
    figure = draw_groups(comparison, [NOTE], "no others on record")
    figure.canvas.draw()
    return comparison, figure


def test_names_stay_left_of_the_axis_and_numbers_right_of_it(case):
    _, figure = case
    for axes in figure.axes:
        plot = axes.get_window_extent()
        marks = [line.get_window_extent() for line in axes.lines if line.get_marker() != "None"]
        for text in axes.texts:
            box = text.get_window_extent()
            heading = text.get_weight() == "bold" and text.get_ha() == "left"
            if not heading and text.get_text() != "no criterion":
                assert box.x1 < plot.x0 or box.x0 > plot.x1, text.get_text()
                assert not any(box.overlaps(mark) for mark in marks), text.get_text()


def test_it_is_one_column_wide_unless_that_would_leave_the_page(case):
    comparison, figure = case
    assert figure.get_figheight() <= PAGE_HEIGHT + 1e-6
    columns = 2 if comparison["level"].nunique() == 10 and comparison["who"].nunique() > 5 else 1
    assert figure.get_figwidth() == columns * COLUMN


def test_marks_intervals_and_bars_lie_where_the_table_says(case):
    comparison, figure = case
    drawn = comparison[comparison["pass_rate"].notna()]
    marks = [
        float(line.get_xdata()[0])
        for axes in figure.axes
        for line in axes.lines
        if line.get_marker() not in ("None", "|") and len(line.get_xdata()) == 1 and line.get_gid() is None
    ]
    assert sorted(marks) == pytest.approx(sorted(100 * drawn["pass_rate"]))
    lines = [each for axes in figure.axes for each in axes.collections]
    spans = [tuple(path.vertices[:, 0]) for each in lines for path in each.get_paths()]
    limits = drawn[drawn["low"].notna()]
    expected = zip(100 * limits["low"], 100 * limits["high"], strict=True)
    assert np.array(sorted(spans)) == pytest.approx(np.array(sorted(expected)), abs=1e-6)
    bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for axes in figure.axes for bar in axes.patches]
    halves = drawn[drawn["quartile_1"].notna()]
    expected = zip(100 * halves["quartile_1"], 100 * halves["quartile_3"], strict=True)
    assert np.array(sorted(bars)) == pytest.approx(np.array(sorted(expected)))


def test_what_missing_trials_leave_open_is_drawn(case):
    comparison, figure = case
    lines = [line for axes in figure.axes for line in axes.lines]
    drawn = {
        gid: [share for line in lines if line.get_gid() == gid for share in line.get_xdata()]
        for gid in ("missing", "judged")
    }
    missing = comparison[comparison["missing"] > 0]
    assert drawn["missing"] == pytest.approx(list(100 * missing[["pass_rate", "most"]].to_numpy().ravel()))
    assert drawn["judged"] == pytest.approx(list(100 * missing["judged_rate"].dropna()))


def test_every_row_is_written_with_its_counts(case):
    comparison, figure = case
    written = [text.get_text() for axes in figure.axes for text in axes.texts]
    for row in comparison.to_dict("records"):
        star = "*" if row["missing"] else ""
        assert f"{row['passes']}/{row['planned']}{star}" in written
    names = ["".join(text.split()) for text in written]
    for who in comparison["who"]:
        assert names.count("".join(who.split())) == (comparison["who"] == who).sum()
    for number, name in set(zip(comparison["level"], comparison["level_name"], strict=True)):
        assert written.count(f"{number}  {name}") == 1
    assert written.count("no others on record") == (0 in set(comparison["level"]))
    assert written.count("no criterion") == comparison["pass_rate"].isna().sum()


def test_no_text_covers_another_or_leaves_the_page_and_the_small_print_is_complete(case):
    _, figure = case
    assert_readable(figure)
    assert " ".join(text.get_text() for text in figure.texts).split() == NOTE.split()


def test_a_middle_half_without_width_is_still_seen():
    # The top ten on level 1: both quartiles 75 %, mean 77.5 %.
    comparison = compare_levels(results_frame(level(1, 6))).query("who == 'top ten 2019'").head(1)

    def darkest(frame):
        figure = draw_groups(frame)
        figure.set_dpi(300)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        x, y = figure.axes[0].transData.transform((75, 1.5)).round().astype(int)
        image = np.asarray(canvas.buffer_rgba())[::-1, :, :3]
        return image[y - 6 : y + 7, x - 1 : x + 2].min()

    assert darkest(comparison) < 160 < darkest(comparison.assign(quartile_1=np.nan, quartile_3=np.nan))


def test_sources_differ_in_more_than_colour():
    others = [(style.marker, style.face == "white") for style in OTHERS.values()]
    assert len(set(others)) == len(others)
    runs = run_styles(MODELS).values()
    assert len({style.marker for style in runs}) == len(runs)
    for style in (*runs, *OTHERS.values()):
        grey = np.dot(to_rgb(style.color), (0.2126, 0.7152, 0.0722))
        assert grey < 0.65, "too pale to print in grey"


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_the_same_figure_gives_the_same_bytes(ending, tmp_path):
    comparison = compare_levels(results_frame(level(1, 6)))
    for name in "ab":
        save(draw_groups(comparison), tmp_path / f"{name}{ending}")
    first, second = ((tmp_path / f"{name}{ending}").read_bytes() for name in "ab")
    assert first == second
    assert b"CreationDate" not in first
    assert first[:5] == {".png": b"\x89PNG\r", ".svg": b"<?xml", ".pdf": b"%PDF-"}[ending]


@pytest.mark.parametrize("text", [LONG, "W" * 60, "a", "anthropic/claude-sonnet-4-5", "two words", "$x_1$"])
def test_wrapped_names_fit_and_lose_no_letter(text):
    lines = wrap(text, 1.0, 6.5, " /-")
    assert all(width(line, 6.5) <= 1.0 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_lines_end_where_names_may_be_broken():
    assert wrap("anthropic/claude-sonnet-4-5", 1.0, 6.5, " /-")[0] == "anthropic/claude-"
    assert wrap("a b", 1.0, 6.5) == ["a b"]
