"""Whole runs by the command, with a real SDK: interrupted, resumed, two at a time, without their Java."""

import json
import os
import re
import signal
import time
from types import SimpleNamespace

import pytest
from inspect_ai.log import read_eval_log

from tests.command import newest, run, start
from tests.llm_control.provider import MODEL, answer
from tests.suites.scienceworld.simulation import java_processes
from tests.suites.setups import needs_java

pytestmark = [needs_java, pytest.mark.e2e]

# Air is no living thing, which ends 4-1 and 4-3; in 4-2 it is right, and the rest is waiting.
COMMANDS = ("open door to kitchen", "Action: look around", "So:\n\nwait1", "nonsense", "focus on air")


@pytest.fixture
def provider(openai):
    """A server that answers with commands; `asked` are the requests, `before` is called with each."""
    made = SimpleNamespace(asked=[], before=lambda number: None)

    def serve(request):
        made.asked.append(json.loads(request.data))
        made.before(len(made.asked))
        step = int(re.findall(r"Step (\d+) of", str(made.asked[-1]["messages"][-1]))[-1])
        return answer(COMMANDS[step - 1] if step <= len(COMMANDS) else "wait1")

    openai(serve)
    return made


def eval_(folder, *more, tasks="4-1,4-3"):
    chosen = ("--suite", "scienceworld", "--model", MODEL, "--tasks", tasks, "--variations", 1)
    return ("eval", *chosen, "--log-dir", folder, *more)


def waited(ready, seconds=120):
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.05)


@pytest.mark.slow
def test_a_trial_whose_java_is_killed_is_played_again(provider, tmp_path):
    process = start(*eval_(tmp_path, "--max-samples", 1))

    def kill(number):
        if number == 3:
            (java,) = java_processes([process.pid])
            os.kill(java, signal.SIGKILL)

    provider.before = kill
    _, said = process.communicate(timeout=240)
    assert process.returncode == 0, said
    assert "Traceback" not in said
    samples = {sample.id: sample for sample in read_eval_log(str(newest(tmp_path))).samples}
    assert len(samples) == 2
    assert not any(sample.error for sample in samples.values())
    (retried,) = [sample for sample in samples.values() if sample.error_retries]
    assert "Java process has ended" in str(retried.error_retries[0])


@pytest.mark.slow
def test_after_an_interrupt_no_java_is_left_and_the_run_is_resumed(provider, tmp_path):
    process = start(*eval_(tmp_path))
    provider.before = lambda number: time.sleep(0.5) if number > 3 else None
    waited(lambda: len(provider.asked) > 4)
    javas = java_processes([process.pid])
    assert javas
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=240)
    assert process.returncode == 130, said
    assert "Traceback" not in said
    waited(lambda: not any(os.path.exists(f"/proc/{java}") for java in javas), 10)
    provider.before = lambda number: None
    resumed = run(*eval_(tmp_path, "--resume"), OPENAI_API_KEY="none")
    assert resumed.returncode == 0, resumed.stderr
    assert len(read_eval_log(str(newest(tmp_path))).samples) == 2


@pytest.mark.slow
def test_two_runs_at_once_have_a_java_each(tmp_path):
    arguments = ("eval", "--suite", "scienceworld", "--model", "scienceworld/gold", "--tasks", "4-2,7-2")
    both = [start(*arguments, "--variations", "1", "--log-dir", tmp_path / str(k)) for k in range(2)]
    ends = [process.communicate(timeout=240)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], ends
    for k in range(2):
        log = read_eval_log(str(newest(tmp_path / str(k))))
        assert all(sample.scores["score"].value == 1 for sample in log.samples if "score" in sample.scores)
        assert len(log.samples) == 2
