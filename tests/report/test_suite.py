"""The report of any suite: groups, episodes and transcripts, and the suite's own panels and conditions."""

from dataclasses import replace

import pandas as pd
import pytest

from arena.errors import EvaluationError
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.run import open_logs
from evaluation.request import EvalRequest
from evaluation.results import TrialResult, read_results
from evaluation.statistics import mean_text
from evaluation.suites import get_suite
from evaluation.verify.sources import Verdict
from llm_control.suite import ArenaSuite
from report import build
from report.build import write_log_report
from report.comparison.read import read_run
from report.comparison.whole import compare
from report.episode_page import turn_rows
from report.panels import SuiteReport
from tests.evaluation.verify.logs import checked
from tests.llm_control.batteries import evaluated
from tests.report.pages import table_rows


class Panelled(ArenaSuite):
    group_name = "set"


def episode_panels(record):
    return [("What <happened>", f"<p>{record['turns'][0]['reply'][:5]} <b>so far</b></p>")]


@pytest.fixture(scope="module")
def folder(logs, tmp_path_factory):
    """The report of logs of the arena, as if no report knew more of it than of any suite."""
    folder = tmp_path_factory.mktemp("generic")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "suite_report", lambda *_: SuiteReport(Panelled()))
        write_log_report(open_logs([(None, path) for path in logs.values()]), folder, frames=True)
    return folder


def test_groups_and_episodes_are_listed_without_anything_of_the_arena(folder):
    page = (folder / "index.html").read_text("utf-8")
    cells = table_rows(page)
    assert ["1", "arena/pixels", "2/2", "1", "100 %", "21-100", "-", "-", "-"] in cells
    assert any(row[:3] == ["01-01-01", "1", "2/2"] for row in cells)
    assert "By set" in page
    for word in ("children", "Children", "PyBullet", "replaying", "Food Retrieval", "Level"):
        assert word not in page, word
    assert len(read_results(folder / "results.csv")) == 8
    assert (folder / "sets.csv").is_file()
    assert (folder / "sets.svg").is_file()


def test_an_episode_is_a_transcript_with_pictures_and_replies_and_the_suites_own_panels(folder):
    page = (folder / "episodes" / "arena-pixels" / "01-01-01_1.html").read_text("utf-8")
    assert "What the model was sent as text" in page
    assert "sent to the model" in page
    assert "<pre>Think(" in page
    assert list((folder / "episodes" / "arena-pixels" / "01-01-01_1").glob("*.webp"))
    assert "polyline" not in page
    assert "heading" not in page.partition("Turn by turn")[2]
    assert "<h2>What &lt;happened&gt;</h2>" in page
    assert "<p>Think <b>so far</b></p>" in page


def test_thoughts_may_be_a_list_or_one_text():
    turns = [{"reply": "x", "error": None, "thoughts": given} for given in (("a b", "c"), "I look.", "")]
    episode = LoggedEpisode(TrialResult("a", "t", 1, 0, 1.0), turns=tuple(turns))
    rows = turn_rows(episode, SuiteReport(get_suite("est")))
    assert [row["thoughts"] for row in rows] == ["a b / c", "I look.", ""]


@pytest.mark.parametrize(
    ("agent", "task"), [("boxing/prior-only", "dugongs-prediction-0"), ("est/search-naive", "est-00001")]
)
def test_a_real_run_of_a_suite_has_its_columns_and_its_papers_rows(agent, task, tmp_path):
    suite = agent.partition("/")[0]
    played = evaluated(EvalRequest(get_suite(suite), agent, choices={"tasks": task}), tmp_path / "logs")
    page = write_log_report(open_logs([(None, played.log)]), tmp_path / "report").page
    if suite == "boxing":
        assert pd.read_csv(page.with_name("episodes.csv"))["missing_answers"].notna().all()
    else:
        (row,) = [row for row in table_rows(page.read_text("utf-8")) if row[:1] == ["paper: search-naive"]]
        assert "36.83" in row


@pytest.fixture(scope="module")
def conditions(tmp_path_factory):
    """One task of level 12 with a body and in words: who knows, and who says nothing."""
    home = tmp_path_factory.mktemp("conditions")
    found = {}
    for suite, agent in (("arena", "oracle"), ("arena", "silent"), ("laboratory", "prior-only")):
        body = {"image_size": 64, "tasks": "12-01-01,12-01-03", "beliefs": True}
        choices = body if suite == "arena" else {"tasks": "12-01-01"}
        request = EvalRequest(get_suite(suite), f"{suite}/{agent}", choices=choices)
        found[agent] = evaluated(request, home / agent).log
    return found


def test_a_report_shows_the_chain_of_those_with_a_body(conditions, tmp_path):
    names = ("oracle", "silent")
    write_log_report(open_logs([(None, conditions[name]) for name in names]), tmp_path, frames=False)
    page = (tmp_path / "index.html").read_text("utf-8")
    assert "From experiments to the right door" in page
    chain = page.partition("From experiments to the right door")[2]
    cells = {name: chain.partition(f"<td>arena/{name}</td>")[2].partition("</tr>")[0] for name in names}
    # Right door believed, distance, door agrees with belief, passed.
    certain = '<td class="num">1.00 [0.34, 1.00]</td>'
    assert cells["oracle"].endswith(f'{certain}<td class="num">0.00</td>{certain}{certain}')
    assert cells["silent"].endswith("0.00 [0.00, 0.66]</td>")
    (log,) = open_logs([(None, conditions["oracle"])])
    scripts = [[turn for turn in each.turns if turn.get("kind") != "predict"] for each in log.episodes()]
    made = [each.metrics["experiments"] for each in log.episodes()]
    in_ten = mean_text([10 * number / len(turns) for number, turns in zip(made, scripts, strict=True)])
    assert f'<td class="num">{in_ten}</td>' in cells["oracle"]
    for motion in ("driving", "pushing round walls"):
        of_motion = chain.partition(f"<td>arena/oracle, {motion}</td>")[2].partition("</tr>")[0]
        assert of_motion.startswith('<td class="num">1</td>')
        assert of_motion.endswith("1.00 [0.21, 1.00]</td>")
    assert "arena/oracle, slopes" not in chain
    pages = [path.read_text("utf-8") for path in tmp_path.rglob("*.html")]
    played = [text for text in pages if "On ramp" in text and "opened door" in text]
    assert len(played) == 2
    for text in played:
        assert "Experiments and what follows from them" in text
        assert text.count("<td>stated belief</td>") == text.count("<td>On ramp") > 0
    assert {each.verdict for name in names for each in checked(conditions[name])} == {Verdict.AGREES}


def test_conditions_are_paired_by_task(conditions):
    runs = [run for name in ("oracle", "prior-only") for run in read_run(str(conditions[name]))]
    found = compare(runs, ())
    assert found.suite == "laboratory"
    assert [run.agent for run in found.runs[:2]] == [
        "arena/oracle, driving",
        "arena/oracle, pushing round walls",
    ]
    assert {*found.results["task_id"]} == {"12-01-01"}
    assert (found.tables["comparisons"]["tasks"] == 1).all()
    other = replace(runs[0], digests={"12-01-01": "0" * 64})
    with pytest.raises(EvaluationError, match="no tasks in common"):
        compare([other, runs[1]], ())
