"""The example that trains by RLlib, as a command."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import examples.rllib_ppo as example
from tests.arena.learning import SHORT


@pytest.fixture
def arena(tmp_path):
    path = tmp_path / "arena.yaml"
    path.write_text(SHORT)
    return path


@pytest.fixture
def refused(arena, monkeypatch):
    """What the command says before it begins."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["rllib_ppo.py", *map(str, (arena, *arguments))])
        with pytest.raises(SystemExit) as ended:
            example.main()
        return str(ended.value.code)

    return run


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--env-runners", -1), "--env-runners: got -1, expected 0 or more"),
        (("--iterations", 0), "--iterations: got 0, expected 1 or more"),
        (("--batch", 0), "--batch: got 0, expected 1 or more"),
        (("--resume",), "--resume: name the folder of what was learned by --checkpoint"),
    ],
)
def test_a_wrong_argument_is_said(refused, arguments, told):
    assert refused(*arguments) == f"rllib_ppo: {told}"


def test_a_checkpoint_is_neither_missed_nor_written_over(refused, tmp_path):
    there = tmp_path / "learned"
    assert "holds none to go on from" in refused("--checkpoint", there, "--resume")
    (there / "000002").mkdir(parents=True)
    assert "holds one already; go on from it by --resume" in refused("--checkpoint", there)
    (tmp_path / "file").touch()
    assert "cannot be written to" in refused("--checkpoint", tmp_path / "file")


@pytest.mark.parametrize(
    ("address", "told"),
    [("here", "expected HOST:PORT"), ("127.0.0.1:9", "no Ray cluster could be joined there")],
)
def test_a_wrong_address_is_said_at_once(refused, address, told):
    pytest.importorskip("ray.rllib", reason="RLlib is not installed: pip install 'arena-llm[rllib]'")
    assert told in refused("--address", address)


@pytest.mark.slow
def test_what_was_learned_outlives_ctrl_c_and_is_gone_on_from(arena, tmp_path):
    pytest.importorskip("ray.rllib", reason="RLlib is not installed: pip install 'arena-llm[rllib]'")
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'arena-llm[rllib]'")
    learned = tmp_path / "learned"
    with started(arena, "--iterations", 1000, "--checkpoint", learned) as process:
        deadline = time.monotonic() + 120
        while not (learned / "000002").exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=240)
    assert process.returncode == 130
    (kept,) = learned.glob("[0-9]*")
    assert f"rllib_ppo: stopped; learned: {kept}; --resume goes on from there" in told
    after = int(kept.name) + 1
    more = ("--iterations", after, "--checkpoint", learned, "--resume", "--env-runners", 5)
    with started(arena, *more) as process:
        told, _ = process.communicate(timeout=200)
    assert process.returncode == 0
    first, last = told.splitlines()
    assert first.startswith(f"iteration {after}: ")
    assert last.startswith(f"learned: {learned / f'{after:06}'};")


def started(*arguments):
    return subprocess.Popen(
        [sys.executable, str(Path(example.__file__)), *map(str, arguments), "--batch", "100"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
