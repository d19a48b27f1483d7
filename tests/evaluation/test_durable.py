"""Replies outlive whatever ends a run: a kill, a limit, a crash, a full disk. None is asked for twice."""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ContentImage, ContentText, ModelOutput
from inspect_ai.tool import ToolInfo

from arena import EvaluationError
from evaluation.generation import journal
from evaluation.generation.budget import RunLimits, spent_before
from evaluation.generation.journal import ENDING, Journal, digest
from evaluation.request import EvalRequest
from evaluation.suites import get_suite
from tests.broken_off import broken_off
from tests.command import killed, run
from tests.llm_control.batteries import battery_of, evaluated
from tests.llm_control.provider import MODEL, answer, failure

SMALL = {"image_size": 16, "initial_idle_steps": "1", "max_scripts": 5}
TOKENS = 1000

battery = battery_of((20, 16), (24, 20), (16, 24))


@pytest.fixture
def provider(openai):
    """A server whose replies name their request's number; its `refuses` is a parameter, `kills` a process."""

    class Provider:
        def __init__(self):
            self.bodies, self.text, self.refuses, self.kills = [], "Turn(6);", None, None

        def serve(self, request):
            body = json.loads(request.data)
            self.bodies.append(body)
            if self.kills and len(self.bodies) >= self.kills[0]:
                os.kill(self.kills[1](), signal.SIGKILL)
            if self.refuses in body:
                return failure(400, f"Unsupported value: {self.refuses!r} does not support 0")
            return answer(f"{self.text} {len(self.bodies)}" if self.text else "", tokens=TOKENS)

    made = Provider()
    openai(made.serve)
    return made


@pytest.fixture
def logs(tmp_path):
    return tmp_path / "logs"


def played(logs, folder=None, suite="arena", limits=None, resume=False, prices=None, at_a_time=3, **choices):
    """A run of a model, or what is left of it."""
    own = SMALL if suite == "arena" else {}
    request = EvalRequest(get_suite(suite), MODEL, folder, choices={**own, **choices})
    return evaluated(request, logs, limits=limits, resume=resume, prices=prices, max_samples=at_a_time)


def lines(logs: Path) -> list[dict]:
    (path,) = logs.glob(f"*{ENDING}")
    return [json.loads(line) for line in path.read_text().splitlines()[1:]]


def said(log) -> dict:
    """The model's replies by episode."""
    return {
        (sample.id, sample.epoch): [m.text for m in sample.messages if m.role == "assistant"]
        for sample in read_eval_log(str(log)).samples
    }


def stopped_after(count, logs, *arguments, **named):
    """A run that a limit stops after so many replies."""
    return played(logs, *arguments, limits=RunLimits(tokens=count * TOKENS), **named)


@pytest.mark.parametrize(
    ("more", "samples"), [((), 6), pytest.param(("--conversation", "run"), 2, marks=pytest.mark.slow)]
)
def test_a_killed_run_asks_for_no_reply_twice(more, samples, battery, provider, tmp_path):
    logs, started = tmp_path / "logs", tmp_path / "pid"
    options = [part for k, v in SMALL.items() for part in (f"--{k.replace('_', '-')}", str(v))]
    where = ("--testbed", battery, "--log-dir", logs, "--trials", 2)
    command = ["eval", "--model", MODEL, *where, *options, *more]
    provider.kills = 14, lambda: int(started.read_text())
    killed(started, *command)
    before, kept = len(provider.bodies), len(lines(logs))
    # Of each sample at most one reply was under way.
    assert 14 <= before <= kept + samples
    replies = [each["answer"]["output"]["choices"][0]["message"]["content"] for each in lines(logs)]
    provider.kills = None
    address = os.environ["OPENAI_BASE_URL"]
    again = run(*command, "--resume", OPENAI_API_KEY="test-key", OPENAI_BASE_URL=address)
    assert again.returncode == 0, again.stderr
    assert len(provider.bodies) - before == 30 - kept
    newest = max(logs.glob("*.eval"))
    assert [len(each) for each in said(newest).values()] == [30 // samples] * samples
    assert set(replies) <= {reply for each in said(newest).values() for reply in each}
    assert {path.suffix for path in logs.iterdir()} == {".eval", ""}


SUITES = {
    "arena": {"tasks": "01-04-03,01-06-02"},
    "plan-execute": {"tasks": "01-04-03", "agent": "plan-execute"},
    "one conversation": {"tasks": "01-04-03,01-06-02", "conversation": "run", "max_scripts": 3},
    "one picture": {"tasks": "01-04-03", "images": "last-1", "memory_turns": 0},
}


@pytest.mark.parametrize("kind", SUITES)
def test_a_limit_costs_no_reply(kind, battery, provider, logs, tmp_path):
    choices = SUITES[kind]
    whole = said(played(tmp_path / "whole", battery, **choices).log)
    planned, provider.bodies = len(provider.bodies), []
    stopped_after(4, logs, battery, **choices)
    first = len(provider.bodies)
    result = played(logs, battery, resume=True, **choices)
    assert 4 <= first < planned == len(provider.bodies)
    counts = [{key: len(replies) for key, replies in each.items()} for each in (said(result.log), whole)]
    assert counts[0] == counts[1]
    assert list(logs.glob(f"*{ENDING}")) == []
    assert spent_before(result.log).tokens == planned * TOKENS


@pytest.mark.e2e
def test_an_offline_agent_continues_too(battery, tmp_path, monkeypatch):
    log = broken_off(battery, tmp_path / "logs", monkeypatch, 4, **SMALL)
    whole = broken_off(battery, tmp_path / "whole", monkeypatch, 0, resume_it=False, **SMALL)
    assert said(log) == said(whole)


def cut(path: Path) -> int:
    path.write_bytes(path.read_bytes()[:-40])
    return 1


def emptied(path: Path) -> int:
    count = len(path.read_text().splitlines()) - 1
    path.write_bytes(b"")
    return count


def with_garbage(path: Path) -> int:
    path.write_bytes(path.read_bytes() + b'\xff\x00\n{"episode": 5}\n[1]\n{"episode": ["a", 1], "answer": 3')
    return 0


@pytest.mark.parametrize("damage", [cut, emptied, with_garbage])
def test_only_what_is_lost_is_asked_for_again(damage, battery, provider, logs):
    stopped_after(4, logs, battery, tasks="01-04-03", max_scripts=6)
    (path,) = logs.glob(f"*{ENDING}")
    lost = damage(path)
    # Stopped once more: the damaged file is written to, and read again.
    played(logs, battery, limits=RunLimits(tokens=5 * TOKENS), resume=True, tasks="01-04-03", max_scripts=6)
    result = played(logs, battery, resume=True, tasks="01-04-03", max_scripts=6)
    assert len(provider.bodies) == 6 + lost
    assert result.rows[0].turns == 6
    assert list(logs.glob(f"*{ENDING}")) == []


def test_texts_calls_tools_and_new_pictures_make_a_request():
    def shown(text, image):
        return ChatMessageUser(content=[ContentText(text=text), ContentImage(image=image)])

    tool, reply = ToolInfo(name="act", description=""), ChatMessageAssistant(content="Go(1);")
    same, text, image = shown("x", "data:1"), shown("y", "data:1"), shown("x", "data:2")
    others = [("a/c", [same], []), ("a/b", [text], []), ("a/b", [image], [])]
    others += [("a/b", [same], [tool]), ("a/b", [same, reply], [])]
    first = digest("a/b", [same], [])
    assert first == digest("a/b", [shown("x", "data:1")], [])
    assert len({first, *(digest(*each) for each in others)}) == 6


@pytest.mark.parametrize("wrong", ["run", "name", "folder", "earlier"])
def test_what_cannot_be_continued_is_a_sentence_and_nothing_is_lost(wrong, battery, provider, logs):
    log = stopped_after(4, logs, battery, tasks="01-04-03").log
    (path,) = logs.glob(f"*{ENDING}")
    text = path.read_text()
    if wrong == "run":
        path.write_text(text.replace(json.loads(text.splitlines()[0])["run"], "0" * 64))
        told = r"jsonl:1: holds replies of another run"
    elif wrong == "folder":
        path.unlink()
        path.mkdir()
        told = "it is not a file"
    else:
        read = read_eval_log(str(log))
        if wrong == "name":
            read.eval.metadata["journal"] = "../elsewhere"
            told = "metadata.journal: got '../elsewhere'"
        else:
            read.eval.task_args["journal"] = str(path)
            told = "earlier version of arena-llm began"
        write_eval_log(read, str(log))
    before = sorted(logs.iterdir())
    with pytest.raises(EvaluationError, match=told):
        played(logs, battery, resume=True, tasks="01-04-03")
    assert (len(provider.bodies), sorted(logs.iterdir())) == (4, before)


def test_a_full_disk_ends_episodes_and_nothing_more_is_asked(battery, provider, tmp_path, monkeypatch):
    logs, fsync, calls = tmp_path / "logs", os.fsync, []

    def full(descriptor):
        calls.append(descriptor)
        if len(calls) > 6:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr(journal.os, "fsync", full)
    result = played(logs, battery, at_a_time=1, trials=2)
    # The seventh reply could not be kept; four further episodes ask for nothing.
    assert len(provider.bodies) == 7
    errors = [row.error for row in result.rows if row.error]
    assert len(errors) == 5
    assert all("a reply cannot be written (No space left on device); make room" in each for each in errors)
    monkeypatch.setattr(journal.os, "fsync", fsync)
    assert len(lines(logs)) == 6
    result = played(logs, battery, resume=True, at_a_time=1, trials=2)
    assert all(row.error is None for row in result.rows)
    assert len(provider.bodies) == 30 + 1


def test_a_reply_that_found_no_room_is_written_as_soon_as_there_is(tmp_path, monkeypatch):
    kept = Journal(tmp_path / f"a{ENDING}", "run")
    replies, fsync = kept.episode("x", 1), os.fsync

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(journal.os, "fsync", full)
    with pytest.raises(EvaluationError):
        replies.keep("first", ModelOutput.from_content("m", "one"), None, None)
    with pytest.raises(EvaluationError):
        replies.next("second")
    monkeypatch.setattr(journal.os, "fsync", fsync)
    assert replies.next("second") is None
    again = Journal(kept.path, "run").episode("x", 1)
    assert again.next("first")[0].completion == "one"
    assert again.next("first") is None


def test_a_trial_that_is_restarted_keeps_its_replies_and_other_trials_have_theirs(tmp_path):
    path = tmp_path / f"a{ENDING}"
    kept = Journal(path, "run")
    begun = kept.episode("x", 1)
    begun.keep("r", ModelOutput.from_content("m", "first"), None, None)
    begun.keep("r", ModelOutput.from_content("m", "second"), None, None)
    kept.episode("x", 2).keep("r", ModelOutput.from_content("m", "other trial"), None, None)
    assert begun.next("r") is None
    for restarted in (kept, Journal(path, "run"), Journal(path, "run")):
        first, other = restarted.episode("x", 1), restarted.episode("x", 2)
        assert first.next("another request") is None
        given = [first.next("r"), first.next("r"), other.next("r")]
        assert [output.completion for output, _ in given] == ["first", "second", "other trial"]
        assert (first.next("r"), other.next("r")) == (None, None)
        restarted.end("x", 1)
        assert restarted.episode("x", 1).next("r") is None


def test_two_runs_in_one_folder_have_files_of_their_own(battery, provider, logs):
    stopped_after(2, logs, battery, tasks="01-04-03")
    (path,) = logs.glob(f"*{ENDING}")
    text = path.read_text()
    played(logs, battery, tasks="01-04-03", temperature=0.5)
    assert path.read_text() == text
    played(logs, battery, resume=True, tasks="01-04-03")
    assert len(provider.bodies) == 2 + 5 + 3
    assert list(logs.glob(f"*{ENDING}")) == []


def test_two_processes_do_not_continue_one_run(battery, provider, logs):
    stopped_after(2, logs, battery, tasks="01-04-03")
    (path,) = logs.glob(f"*{ENDING}")
    program = f"""
import pathlib, sys
from evaluation.generation.journal import no_other_process
with no_other_process(pathlib.Path({str(path)!r})): print('held', flush=True); sys.stdin.read()
"""
    holder, pipe = [sys.executable, "-c", program], subprocess.PIPE
    with subprocess.Popen(holder, stdin=pipe, stdout=pipe) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(EvaluationError, match="another process is playing this run"):
            played(logs, battery, resume=True, tasks="01-04-03")
        assert len(provider.bodies) == 2
        # A killed process holds nothing.
        other.kill()
    played(logs, battery, resume=True, tasks="01-04-03")
    assert len(provider.bodies) == 5
    assert {each.suffix for each in logs.iterdir()} == {".eval"}


def test_a_refused_parameter_is_not_sent_again(battery, provider, logs):
    provider.refuses = "temperature"
    stopped_after(2, logs, battery, tasks="01-04-03")
    first = len(provider.bodies)
    played(logs, battery, limits=RunLimits(tokens=3 * TOKENS), resume=True, tasks="01-04-03")
    assert ["refused" in line["answer"] for line in lines(logs)] == [True, *[False] * 3]
    result = played(logs, battery, resume=True, tasks="01-04-03")
    assert ["temperature" in body for body in provider.bodies] == [True, *[False] * 5]
    assert first == 3
    (sample,) = read_eval_log(str(result.log)).samples
    told = [event.data for event in sample.events if event.event == "info" and "left out" in event.data]
    assert len(told) == 1
    assert {sent for episode in result.run.episodes() for sent in episode.sent} == {"{}"}


def test_what_was_paid_for_is_not_expected_to_be_paid_again(battery, provider, prices, logs):
    stopped_after(12, logs, battery, prices=prices, at_a_time=1)
    assert len(provider.bodies) == 12
    # 3 of 15 replies are left, at about $0.0029 as estimated; a whole episode's five would not be covered.
    result = played(logs, battery, limits=RunLimits(cost=0.0225), resume=True, prices=prices, at_a_time=1)
    assert len(provider.bodies) == 15
    assert all(row.error is None for row in result.rows), result.rows


def test_a_judge_is_asked_once_for_a_run(tmp_path):
    path = tmp_path / f"a{ENDING}"
    Journal(path, "run").judges.keep("question", ModelOutput.from_content("m", "yes"), None, "judge")
    again = Journal(path, "run")
    assert again.judges.next("question")[0].completion == "yes"
    assert again.judges.count == 0
