"""Agents by the commands, in processes of their own: a suite from elsewhere, kill and resume, Inspect's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from tests.command import killed_when, newest, run
from tests.evaluation.agents.scripted import MODEL, TOKENS, serve
from tests.evaluation.example_suite import arena_llm, environment

__all__ = ["environment"]

PLAY = ("eval", "--suite", "guessing", "--model", MODEL, "--guesses", 12, "--max-samples", 1)


@pytest.mark.parametrize(
    ("agent", "requests"),
    [
        pytest.param("react", {"act": 12}, marks=pytest.mark.slow),
        ("hypothesizer", {"act": 12, "reflection": 11, "summary": 1}),
    ],
)
def test_a_suite_that_knows_nothing_of_agents_is_played_and_verified(
    agent, requests, environment, tmp_path, httpserver
):
    model, local = serve(httpserver, "guessing")
    local = {**environment, **local}
    done = arena_llm(local, *PLAY, "--agent", agent, "--tasks", "99-of-100", "--log-dir", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert model.kinds() == requests
    (sample,) = read_eval_log(str(newest(tmp_path))).samples
    assert [turn["guess"] for turn in sample.metadata["episode"]["turns"]] == [100] * 12
    assert "1 of 1 episodes: agrees" in arena_llm(local, "verify", newest(tmp_path)).stdout


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["plan-execute", "hypothesizer"])
def test_a_killed_run_keeps_its_episodes_and_begins_the_one_in_progress_again(
    agent, environment, tmp_path, httpserver
):
    model, local = serve(httpserver, "guessing")
    local = {**environment, **local}
    command = (*PLAY, "--agent", agent, "--tasks", "9-of-10,99-of-100", "--log-dir", tmp_path)
    each = {"plan-execute": 17, "hypothesizer": 24}[agent]
    model.slow_after = each + 4
    killed_when(lambda: len(model.requests) > each + 6, *map(str, command), **local)
    before = len(model.requests)
    assert each + 6 < before < 2 * each
    model.slow_after = None
    resumed = arena_llm(local, *command, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert len(model.requests) == before + each
    samples = read_eval_log(str(newest(tmp_path))).samples
    assert {sample.id: sample.error for sample in samples} == {"9-of-10": None, "99-of-100": None}
    assert [sum(u.total_tokens for u in s.model_usage.values()) for s in samples] == [each * TOKENS] * 2
    assert "2 of 2 episodes: agrees" in arena_llm(local, "verify", newest(tmp_path)).stdout


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
