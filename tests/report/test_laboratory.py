"""The laboratory's conditions in a report and beside each other."""

from dataclasses import replace

import pytest

from arena.errors import EvaluationError
from evaluation.log.run import open_logs
from evaluation.request import EvalRequest
from evaluation.statistics import mean_text
from evaluation.suites import get_suite
from evaluation.verify.sources import Verdict
from report.build import write_log_report
from report.comparison.read import read_run
from report.comparison.whole import compare
from tests.evaluation.verify.logs import checked
from tests.llm_control.batteries import evaluated


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """One task of level 12 with a body and in words: who knows, and who says nothing."""
    home = tmp_path_factory.mktemp("conditions")
    found = {}
    for suite, agent in (("arena", "oracle"), ("arena", "silent"), ("laboratory", "prior-only")):
        body = {"image_size": 64, "tasks": "12-01-01,12-01-03", "beliefs": True}
        choices = body if suite == "arena" else {"tasks": "12-01-01"}
        request = EvalRequest(get_suite(suite), f"{suite}/{agent}", choices=choices)
        found[agent] = evaluated(request, home / agent).log
    return found


def test_a_report_shows_the_chain_of_those_with_a_body(logs, tmp_path):
    names = ("oracle", "silent")
    write_log_report(open_logs([(None, logs[name]) for name in names]), tmp_path, frames=False)
    page = (tmp_path / "index.html").read_text("utf-8")
    assert "From experiments to the right door" in page
    chain = page.partition("From experiments to the right door")[2]
    cells = {name: chain.partition(f"<td>arena/{name}</td>")[2].partition("</tr>")[0] for name in names}
    # Right door believed, distance, door agrees with belief, passed.
    certain = '<td class="num">1.00 [0.34, 1.00]</td>'
    assert cells["oracle"].endswith(f'{certain}<td class="num">0.00</td>{certain}{certain}')
    assert cells["silent"].endswith("0.00 [0.00, 0.66]</td>")
    (log,) = open_logs([(None, logs["oracle"])])
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
    assert {each.verdict for name in names for each in checked(logs[name])} == {Verdict.AGREES}


def test_conditions_are_paired_by_task(logs):
    runs = [run for name in ("oracle", "prior-only") for run in read_run(str(logs[name]))]
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
