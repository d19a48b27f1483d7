import io

import pytest
from rich.console import Console

from arena import EvaluationError
from human_data import compare_levels, levels_table, pass_rates, results_frame, write_report
from human_data.statistics import wilson
from llm_control.evaluate import TrialResult


def rows(verdicts: dict[str, list[bool | None]], agent: str = "a/b", level: int = 1):
    return [
        TrialResult(
            agent, task, level, trial, 0.0, 1.0, verdict, "goal", 10, 1, None if verdict is not None else "x"
        )
        for task, trials in verdicts.items()
        for trial, verdict in enumerate(trials)
    ]


def test_wilson_agrees_with_the_textbook():
    # Children on 01-04-03: 53 of 59, as published.
    assert wilson(53, 59) == pytest.approx((0.7954, 0.9526), abs=1e-4)
    assert wilson(0, 4)[0] == pytest.approx(0)
    assert wilson(4, 4)[1] == pytest.approx(1)


def test_single_trials_have_wilson_intervals():
    (rate,) = pass_rates(results_frame(rows({"t1": [True], "t2": [False], "t3": [True]}))).to_dict("records")
    assert (rate["passes"], rate["trials"], rate["missing"]) == (2, 3, 0)
    assert (rate["low"], rate["high"]) == pytest.approx(wilson(2, 3))


def test_more_trials_of_the_same_tasks_do_not_shrink_the_interval_as_new_tasks_would():
    clustered = rows({"t1": [True] * 10, "t2": [False] * 10, "t3": [True] * 10, "t4": [False] * 10})
    (rate,) = pass_rates(results_frame(clustered)).to_dict("records")
    assert rate["trials"] == 40
    naive = wilson(20, 40)
    assert rate["high"] - rate["low"] > 1.5 * (naive[1] - naive[0])


def test_unanimous_results_keep_some_width():
    (rate,) = pass_rates(results_frame(rows({"t1": [True] * 3, "t2": [True] * 3}))).to_dict("records")
    assert rate["pass_rate"] == 1
    assert rate["low"] < 0.6


def test_trials_without_a_verdict_are_missing_not_failed():
    (rate,) = pass_rates(results_frame(rows({"t1": [True, None], "t2": [None, None]}))).to_dict("records")
    assert (rate["passes"], rate["trials"], rate["missing"], rate["pass_rate"]) == (1, 1, 3, 1)


def test_with_no_verdict_at_all_there_is_no_rate(tmp_path):
    frame = results_frame(rows({"t1": [None]}))
    assert pass_rates(frame)["pass_rate"].isna().all()
    write_report(frame, tmp_path, title="t", facts={}, same_layouts=False)


def test_the_comparison_has_the_baselines_of_its_levels():
    frame = results_frame(rows({"t1": [True]}, level=3) + rows({"t2": [True]}, level=0))
    comparison = compare_levels(frame).set_index("level")
    assert comparison.loc[3, "children"] == pytest.approx(0.7669, abs=1e-4)
    assert comparison.loc[3, "top_ten"] == pytest.approx(0.15)
    assert comparison.loc[0].isna()["children"]
    out = io.StringIO()
    Console(file=out, width=140).print(levels_table(compare_levels(frame)))
    assert "3 Static Obstacles" in out.getvalue()


def test_the_report_is_written_and_repeats_itself(tmp_path):
    frame = results_frame(rows({"t1": [True, False], "t2": [None, True]}))
    first, second = (
        write_report(frame, tmp_path / name, title="T", facts={"seed": "0"}, same_layouts=True)
        for name in "ab"
    )
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert first.figure.with_suffix(".svg").exists()
    page = first.page.read_text()
    assert "1 of 4 planned trials have no verdict" in page
    assert "files of the original battery" in page
    assert len(first.results.read_text().splitlines()) == 5


def test_names_cannot_break_the_page(tmp_path):
    frame = results_frame(rows({"<script>alert(1)</script>": [True]}, agent="<b>&"))
    page = write_report(
        frame, tmp_path, title="<i>", facts={"<k>": "<v>"}, same_layouts=False
    ).page.read_text()
    for hostile in ("<script>", "<b>&", "<i>", "<k>", "<v>"):
        assert hostile not in page


def test_an_unwritable_folder_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EvaluationError, match="the report cannot be written"):
        write_report(
            results_frame(rows({"t": [True]})), tmp_path / "file", title="t", facts={}, same_layouts=False
        )
