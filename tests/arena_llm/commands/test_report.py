"""`arena-llm report` as a user meets it."""

import pytest

from tests.llm_control.batteries import eval_request, evaluated, task_text


def test_a_folder_of_logs_becomes_a_report(tmp_path, command):
    battery = tmp_path / "battery"
    battery.mkdir()
    (battery / "01-01-01.yaml").write_text(task_text(z=17, t=100), "utf-8")
    evaluated(eval_request("arena/pixels", folder=battery), tmp_path / "logs")
    out = tmp_path / "out"
    done = command("report", f"mine={tmp_path / 'logs'}", "--out", out, "--title", "A title")
    assert done.returncode == 0
    assert "index.html" in done.stdout
    page = (out / "index.html").read_text("utf-8")
    assert "<h1>A title</h1>" in page
    assert "mine" in page
    assert list(out.rglob("*.webp"))
    assert command("report", tmp_path / "logs", "--out", out, "--no-frames").returncode == 0
    assert not list(out.rglob("*.webp"))


@pytest.mark.e2e
def test_probes_in_the_same_folder_are_left_out(tmp_path, command):
    logs = tmp_path / "logs"
    common = ("--model", "arena/random", "--log-dir", logs)
    assert command("probe", *common, "--each", 1).returncode == 0
    assert "perception probes only" in command("report", logs, "--out", tmp_path / "out").stderr
    assert command("eval", *common, "--tasks", "01-01-01", "--image-size", 32).returncode == 0
    both = command("report", logs, "--out", tmp_path / "out", "--no-frames")
    assert both.returncode == 0
    assert "perception probes, left out" in both.stderr
    assert (tmp_path / "out" / "index.html").is_file()
    assert command("verify", logs).returncode == 0
