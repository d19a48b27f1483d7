import pytest

from arena import EvaluationError
from evaluation.results import read_results, results_frame
from report.comparison.page import write_comparison
from report.comparison.runs import Run, shipped_groups
from report.comparison.whole import compare
from report.files import figure_notes
from tests.evaluation.runs import level, rows
from tests.report.pages import table_rows

GROUPS = shipped_groups(["children", "competition", "models"])


def written(frame, folder, original=False, **options):
    compared = compare([Run(str(frame["agent"].iloc[0]), frame, original)], GROUPS)
    return write_comparison(compared, folder, **({"title": "T", "facts": {}} | options))


def test_the_report_is_written_and_repeats_itself(tmp_path):
    frame = results_frame(rows({"t1": [True, False], "t2": [None, True]}))
    for name in "ab":
        written(frame, tmp_path / name, facts={"seed": "0"})
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file())
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    levels = {f"levels.{ending}" for ending in ("csv", "png", "svg", "pdf")}
    assert levels | {"index.html", "results.csv", "run.json"} <= {str(file) for file in files}
    assert read_results(tmp_path / "a" / "results.csv")["passed"].isna().sum() == 1


def test_the_page_says_what_is_compared_and_what_is_missing(tmp_path):
    frame = results_frame(rows({"t1": [True, False], "t2": [None, True]}))
    page = written(frame, tmp_path, facts={"seed": "7"}).read_text()
    cells = table_rows(page)
    theirs = table_rows(written(frame, tmp_path / "original", original=True).read_text())
    assert "1 of 4 planned trials of a/b have no verdict and count as failed" in page
    assert "1 of 4 planned trials are missing" in page
    assert any(row[2:5] + row[6:] == ["2/4 (1 missing)", "2", "50 %", "67 %", "50-75", "-"] for row in cells)
    assert any(row[2:] == ["142/236", "4", "60 %", "53-67", "-", "-", "50-75"] for row in theirs)
    assert any(row[2:4] == ["733/900", "90"] for row in theirs)
    assert not any(row[2:4] in (["142/236", "4"], ["733/900", "90"]) for row in cells)
    assert "No comparison with children, teams and published models" in page
    assert "Of children" not in page
    assert "the mean over children, on these very tasks" in page
    assert ["seed", "7"] in cells


def test_the_originals_tasks_are_named_so_and_nothing_missing_is_not_spoken_of(tmp_path):
    page = written(results_frame(level(1, 3)), tmp_path, original=True).read_text()
    assert "tasks are those of the original" in page
    assert 'class="missing"' not in page
    assert "No comparison with children" not in page


def test_each_trial_has_a_line(tmp_path):
    frame = results_frame(rows({"t1": [True, False], "t2": [None]}))
    every = table_rows(written(frame, tmp_path).read_text())
    lines = [row[:4] + row[6:7] for row in every if len(row) == 9 and row[0] in ("t1", "t2")]
    assert lines == [
        ["t1", "a/b", "1", "✓ passed", "goal"],
        ["t1", "a/b", "2", "✗ failed", "goal"],
        ["t2", "a/b", "1", "– no verdict", "x"],
    ]


def test_the_figure_carries_its_provenance():
    facts = {"arena-llm": "0.1", "options": "seed=3", "log": "x.eval", "prompts (sha256)": "abc"}
    frame = results_frame(rows({"t1": [True, False], "t2": [None, True]}))
    runs, origin = figure_notes(frame, facts)
    assert "Runs: 4 planned trials of 2 tasks." in runs
    assert "* 1 of them are without a verdict." in runs
    assert "dotted" in runs
    assert origin == "arena-llm: 0.1; options: seed=3; log: x.eval"


def test_names_cannot_break_the_page(tmp_path):
    frame = results_frame(rows({"<script>alert(1)</script>": [True]}, agent="<b>&"))
    page = written(frame, tmp_path, title="<i>", facts={"<k>": "<v>"}).read_text()
    for hostile in ("<script>alert", "<b>&", "<i>", "<k>", "<v>"):
        assert hostile not in page
    for shown in ("&lt;script&gt;", "&lt;b&gt;&amp;", "&lt;i&gt;", "&lt;k&gt;", "&lt;v&gt;"):
        assert shown in page


def test_an_unwritable_folder_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EvaluationError, match="the report cannot be written"):
        written(results_frame(rows({"t": [True]})), tmp_path / "file")


def test_a_report_of_nothing_is_refused():
    with pytest.raises(EvaluationError, match="no trial was planned"):
        compare([Run("a/b", results_frame([]))], GROUPS)


def test_a_folder_of_version_0_2_is_taken_over(tmp_path):
    for name in ("report.html", "run.json", "results.csv", "levels.png", "mine.png"):
        (tmp_path / name).write_text("")
    written(results_frame(level(1, 3)), tmp_path)
    assert (tmp_path / "index.html").is_file()
    assert (tmp_path / "mine.png").is_file()
    assert not (tmp_path / "report.html").exists()
