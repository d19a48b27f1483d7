"""The command `arena-llm verify`, and what another machine gets to know of the files that it needs."""

import json
import os
import pickle
import shutil
import signal
import time
from pathlib import Path

import pytest

from arena.errors import EvaluationError
from evaluation.verify.sample import verify_sample
from evaluation.verify.sources import Options, Verdict, find_sources, located, verify_located
from tests.command import start
from tests.evaluation.verify.logs import changed, checked, put, recording, turn


def test_another_version_is_named_and_differences_are_to_be_expected(log, tmp_path, command):
    def change(sample, _):
        recording(sample)["versions"]["physics"] = "1"
        turn(sample)["health"] = 3.0

    path = changed(log, tmp_path, change)
    assert checked(path)[0].verdict is Verdict.OTHER_SOFTWARE
    result = command("verify", path, "--jobs", 1)
    assert result.returncode == 1
    assert "physics 1, here " in result.stdout
    assert "differences are to be expected" in result.stderr
    same = command(
        "verify",
        changed(log, tmp_path, lambda s, _: put(recording(s)["versions"], "physics", "1")),
        *("--jobs", 1),
    )
    assert same.returncode == 0
    assert "physics 1, here " in same.stdout


def test_an_unfinished_episode_is_neither_right_nor_wrong(log, tmp_path, command):
    path = changed(log, tmp_path, lambda sample, _: sample.metadata.pop("episode"))
    assert checked(path)[0].verdict is Verdict.UNFINISHED
    assert "1 of 2 episodes: not finished" in command("verify", path, "--jobs", 1).succeeded()


def test_the_logs_own_pass_rate_is_checked(log, tmp_path, command):
    def change(_, whole):
        whole.results.scores[0].metrics["pass_rate"].value = 0.5

    result = command("verify", changed(log, tmp_path, change), "--jobs", 1)
    assert result.returncode == 1
    assert "pass rate" in result.stdout
    assert "the pass rate of 1 logs differs from the logged one" in result.stderr


def test_a_folder_of_logs_and_recordings_in_several_processes(log, battery, tmp_path, command):
    folder = tmp_path / "all"
    (folder / "deep").mkdir(parents=True)
    shutil.copy(log, folder / "deep" / "run.eval")
    (folder / "other.json").write_text("{}")
    scripts = tmp_path / "scripts.txt"
    scripts.write_text("Go(5);\n")
    kept = folder / "kept.json"
    played = command("run", "01-01-01", "--scripts", scripts, "--recording", kept)
    out = tmp_path / "new" / "found.json"
    result = command("verify", folder, log, "--jobs", 2, "--json", out).succeeded()
    assert "5 of 5 episodes: agrees" in result
    assert "1 files in the folders are no recordings" in result
    assert json.loads(out.read_text())["verdicts"] == {"agrees": 5}
    plain = json.loads(kept.read_text())
    assert plain["steps"] == json.loads(played.stdout.splitlines()[-1])["steps"] + 49
    kept.write_text(json.dumps({**plain, "health": 50.0}))
    result = command("verify", kept, log, "--jobs", 1, "--json", out)
    assert result.returncode == 1
    assert "1 of 3 episodes differ from the log" in result.stderr
    episode = json.loads(out.read_text())["episodes"][0]
    assert episode["findings"][0] == {
        "turn": None,
        "what": "health",
        "logged": 50.0,
        "replayed": plain["health"],
    }


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 cut", b"{}"])
def test_what_is_no_log_is_an_error_of_one_line(content, tmp_path, command):
    path = tmp_path / "bad.eval"
    if content is not None:
        path.write_bytes(content)
    assert str(path) in command("verify", path).sentence


def _wait_for_work(pid, deadline=60.0):
    """Until the processes that verify are there, and have begun."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    end = time.monotonic() + deadline
    while children.parent.exists() and len(children.read_text().split()) < 3 and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(6)


def test_ctrl_c_ends_at_once_with_one_line(log, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(120):
        os.link(log, folder / f"{number}.eval")
    process = start("verify", folder, "--jobs", 2, "--frames")
    _wait_for_work(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=240)
    assert process.returncode == 130
    assert told.strip().splitlines()[-1].startswith("Stopped after")
    assert "Traceback" not in told


@pytest.fixture
def sent(log, battery, monkeypatch):
    """The first episode of a log, named from the folder beside it, as a process elsewhere gets it."""
    monkeypatch.chdir(log.parent)
    (source, *_) = find_sources([log.relative_to(log.parent)], lambda _: False).sources
    assert not source.path.is_absolute()
    return pickle.dumps(located(source, Options(False, battery, None)))


def test_a_log_is_found_from_another_folder_and_named_as_it_was_given(sent, log, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (checked,) = verify_located(pickle.loads(sent), Options(), verify_sample)
    assert checked.verdict is Verdict.AGREES
    assert checked.source.startswith(log.name)


def test_a_log_that_is_not_seen_is_named(sent, log):
    away = log.rename(log.with_suffix(".away"))
    try:
        with pytest.raises(EvaluationError, match=rf"^{log}: is not on .*; `verify --engine ray` needs logs"):
            verify_located(pickle.loads(sent), Options(), verify_sample)
    finally:
        away.rename(log)
