import re

import pytest

from arena import EvaluationError
from evaluation.results import read_results, results_frame
from report.summary import write_report
from tests.human_data.runs import level, rows


def report(frame, folder, **options):
    return write_report(frame, folder, **({"title": "T", "facts": {}, "same_layouts": False} | options))


def test_the_report_is_written_and_repeats_itself(tmp_path):
    frame = results_frame(rows({"t1": [True, False], "t2": [None, True]}))
    first, second = (report(frame, tmp_path / name, facts={"seed": "0"}) for name in "ab")
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert {path.name for path in (tmp_path / "a").iterdir()} == {
        *("report.html", "results.csv", "levels.csv", "levels.png", "levels.svg", "levels.pdf", "run.json")
    }
    assert read_results(first.results)["passed"].isna().sum() == 1


def test_the_page_says_what_is_compared_and_what_is_missing(tmp_path):
    frame = results_frame(rows({"t1": [True, False], "t2": [None, True]}))
    page = report(frame, tmp_path, facts={"seed": "7"}).page.read_text()
    assert "1 of 4 planned trials have no verdict" in page
    assert "<td>2/3 (1 missing)</td><td>2</td><td>67 %</td>" in page
    assert "<td>142/236</td><td>4</td><td>60 %</td><td>53-67</td><td>50-75</td>" in page
    assert "<td>733/900</td><td>90</td>" in page
    assert "layouts are not the original ones" in page
    assert "Of children" not in page
    assert "the mean over children, on these very tasks" in page
    assert "<td>seed</td><td>7</td>" in page


def test_nothing_missing_is_not_spoken_of(tmp_path):
    assert 'class="missing"' not in report(results_frame(level(1, 3)), tmp_path).page.read_text()


def test_a_named_folder_is_not_claimed_to_hold_the_original(tmp_path):
    page = report(results_frame(level(1, 3)), tmp_path, same_layouts=True).page.read_text()
    assert "a folder that the user named" in page
    assert "layouts are not the original ones" not in page


def test_each_trial_has_a_line(tmp_path):
    frame = results_frame(rows({"t1": [True, False], "t2": [None]}))
    page = report(frame, tmp_path).page.read_text()
    lines = re.findall(
        r"<tr><td>(t\d)</td><td>a/b</td><td>(\d)</td>.*?<td>(yes|no|-)</td><td>(\w+)</td>", page
    )
    assert lines == [("t1", "1", "yes", "goal"), ("t1", "2", "no", "goal"), ("t2", "1", "-", "x")]


def test_the_figure_carries_its_provenance(tmp_path):
    from report.summary import _notes

    facts = {"arena-llm": "0.1", "options": "seed=3", "log": "x.eval", "prompts (sha256)": "abc"}
    frame = results_frame(rows({"t1": [True, False], "t2": [None, True]}))
    compared, run, origin = _notes(frame, facts, False)
    assert "59 children" in compared
    assert "Run: 3 trials of 2 tasks." in run
    assert "* 1 planned trials" in run
    assert origin == "arena-llm: 0.1; options: seed=3; log: x.eval"


def test_names_cannot_break_the_page(tmp_path):
    frame = results_frame(rows({"<script>alert(1)</script>": [True]}, agent="<b>&"))
    page = report(frame, tmp_path, title="<i>", facts={"<k>": "<v>"}).page.read_text()
    for hostile in ("<script>", "<b>&", "<i>", "<k>", "<v>"):
        assert hostile not in page
    for shown in ("&lt;script&gt;", "&lt;b&gt;&amp;", "&lt;i&gt;", "&lt;k&gt;", "&lt;v&gt;"):
        assert shown in page


def test_an_unwritable_folder_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EvaluationError, match="the report cannot be written"):
        report(results_frame(rows({"t": [True]})), tmp_path / "file")


def test_a_report_of_nothing_is_refused(tmp_path):
    with pytest.raises(EvaluationError, match="no trial was planned"):
        report(results_frame([]), tmp_path / "new")
    assert not (tmp_path / "new").exists()
