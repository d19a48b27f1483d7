"""Agents by the commands, in processes of their own: a suite from elsewhere, kill and resume, Inspect's."""

import os
import subprocess
import sys
from pathlib import Path

from inspect_ai.log import read_eval_log

from tests.command import newest, run
from tests.evaluation.agents.scripted import MODEL, serve
from tests.evaluation.example_suite import arena_llm, environment

__all__ = ["environment"]

PLAY = ("eval", "--suite", "guessing", "--model", MODEL, "--guesses", 12, "--max-samples", 1)


def test_a_suite_that_knows_nothing_of_agents_is_played_and_verified(environment, tmp_path, httpserver):
    model, local = serve(httpserver, "guessing")
    local = {**environment, **local}
    done = arena_llm(local, *PLAY, "--agent", "hypothesizer", "--tasks", "99-of-100", "--log-dir", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert model.kinds() == {"act": 12, "reflection": 11, "summary": 1}
    (sample,) = read_eval_log(str(newest(tmp_path))).samples
    assert [turn["guess"] for turn in sample.metadata["episode"]["turns"]] == [100] * 12
    assert "1 of 1 episodes: agrees" in arena_llm(local, "verify", newest(tmp_path)).stdout


def test_inspects_own_command_takes_an_agent(tmp_path, httpserver):
    model, local = serve(httpserver, "est")
    command = [str(Path(sys.executable).with_name("inspect")), "eval", "arena_llm/est", "--model", MODEL]
    command += ["-T", "agent=plan-execute", "-T", "tasks=est-00001", "--display", "none"]
    done = subprocess.run(
        [*command, "--log-dir", str(tmp_path)], env={**os.environ, **local}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert model.kinds()["plan"] > 1
    (sample,) = read_eval_log(str(newest(tmp_path))).samples
    assert len(sample.metadata["episode"]["turns"]) == 10
    assert "1 of 1 episodes: agrees" in run("verify", newest(tmp_path)).stdout
