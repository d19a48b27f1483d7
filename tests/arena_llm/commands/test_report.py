"""`arena-llm report` as a user meets it."""

import pytest
from typer.testing import CliRunner

from arena_llm.cli import app
from tests.llm_control.batteries import eval_request, evaluated, task_text


def test_a_folder_of_logs_becomes_a_report(tmp_path):
    battery = tmp_path / "battery"
    battery.mkdir()
    (battery / "01-01-01.yaml").write_text(task_text(z=17, t=100), "utf-8")
    evaluated(eval_request("arena/pixels", folder=battery), tmp_path / "logs")
    out = tmp_path / "out"
    done = CliRunner().invoke(
        app, ["report", f"mine={tmp_path / 'logs'}", "--out", str(out), "--title", "A title"]
    )
    assert done.exit_code == 0
    assert "index.html" in done.stdout
    page = (out / "index.html").read_text("utf-8")
    assert "<h1>A title</h1>" in page
    assert "mine" in page
    assert list(out.rglob("*.webp"))
    again = CliRunner().invoke(app, ["report", str(tmp_path / "logs"), "--out", str(out), "--no-frames"])
    assert again.exit_code == 0
    assert not list(out.rglob("*.webp"))


@pytest.mark.e2e
def test_probes_in_the_same_folder_are_left_out(tmp_path):
    logs = tmp_path / "logs"
    common = ["--model", "arena/random", "--log-dir", str(logs)]
    probed = CliRunner().invoke(app, ["probe", *common, "--each", "1"])
    assert probed.exit_code == 0, probed.output
    only = CliRunner().invoke(app, ["report", str(logs), "--out", str(tmp_path / "out")])
    assert "perception probes only" in str(only.exception)
    evaluated = CliRunner().invoke(app, ["eval", *common, "--tasks", "01-01-01", "--image-size", "32"])
    assert evaluated.exit_code == 0, evaluated.output
    both = CliRunner().invoke(app, ["report", str(logs), "--out", str(tmp_path / "out"), "--no-frames"])
    assert both.exit_code == 0, both.exception
    assert "perception probes, left out" in both.stderr
    assert (tmp_path / "out" / "index.html").is_file()


def test_a_wrong_name_is_one_sentence(tmp_path):
    done = CliRunner().invoke(app, ["report", str(tmp_path / "absent.eval")])
    assert "no such log" in str(done.exception)
