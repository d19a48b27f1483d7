"""What a provider does wrong, from a local server: asked again, relaunched, or played as it is."""

import html
import json
import re
import time
import zipfile
from types import SimpleNamespace

import pandas as pd
import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import get_model
from typer.testing import CliRunner
from werkzeug import Response

import evaluation.generation.generate as faults
from arena_llm.cli import app
from arena_llm.commands.report import report_logs
from arena_llm.verify import pass_rates
from evaluation.generation.stops import CAUSES
from evaluation.summary import CARDS_FILE, RunCard
from evaluation.verify.sources import Verdict
from tests.evaluation.test_evaluate import google_reply
from tests.evaluation.verify.logs import checked
from tests.llm_control.batteries import battery_of, run
from tests.llm_control.provider import MODEL, answer, failure

KEY = "sk-planted-Secret0123456789"
FAST = {"image_size": 16, "initial_idle_steps": "1", "tasks": "01-04-03", "max_scripts": 2}

battery = battery_of((20, 16), (24, 20))


@pytest.fixture
def provider(httpserver, monkeypatch):
    """Serves the responses of a list, one after another, the last one forever; and times the requests."""
    for name, address in (("OPENAI", httpserver.url_for("/v1")), ("GOOGLE", httpserver.url_for(""))):
        monkeypatch.setenv(f"{name}_API_KEY", KEY)
        monkeypatch.setenv(f"{name}_BASE_URL", address)
    monkeypatch.setattr(faults, "FIRST_WAIT_S", 0.01)
    asked = []

    def begin(*responses):
        def serve(_request):
            asked.append(time.monotonic())
            return responses[min(len(asked), len(responses)) - 1]()

        httpserver.expect_request(re.compile(".*")).respond_with_handler(serve)
        return asked

    return begin


def sample_of(result):
    return read_eval_log(str(result.log)).samples[0]


def told(sample):
    """What the log says of failed attempts."""
    return [e.data for e in sample.events if e.event == "info" and "attempt failed" in (e.data or {})]


def slow():
    time.sleep(3)
    return answer("Go(20);")


def cut():
    return Response(
        b'{"id": "c1", "choices": [', headers={"Content-Length": "4000"}, content_type="application/json"
    )


FAULTS = {
    "429": lambda: failure(429, "slow down", retry_after="0.05"),
    "500": lambda: failure(500),
    "broken JSON": lambda: Response('{"id": "c1", "cho', content_type="application/json"),
    "no JSON": lambda: Response("<html>bad gateway</html>", content_type="text/html"),
    "no message": lambda: Response('{"id": "c1", "choices": []}', content_type="application/json"),
    "truncated": cut,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_passing_fault_is_asked_again_and_told(fault, battery, tmp_path, provider):
    asked = provider(FAULTS[fault], FAULTS[fault], FAULTS[fault], lambda: answer("Go(20);"))
    result = run(battery, tmp_path / "logs", MODEL, **FAST)
    assert result.rows[0].passed, result.rows
    assert len(asked) == 4
    sample = sample_of(result)
    assert len(told(sample)) == 3
    assert not sample.error_retries


@pytest.mark.parametrize("fault", FAULTS)
def test_a_lasting_fault_discards_the_trial_and_relaunches_it_once(fault, battery, tmp_path, provider):
    asked = provider(FAULTS[fault])
    result = run(battery, tmp_path / "logs", MODEL, **FAST)
    error = result.rows[0].error
    assert result.rows[0].passed is None
    assert error.startswith("the provider failed: ")
    assert "Future" not in error
    assert ("slow down" in error) == (fault == "429")
    assert len(asked) == 8
    assert len(sample_of(result).error_retries) == 1


def test_a_relaunched_trial_keeps_its_replies(battery, tmp_path, provider):
    asked = provider(lambda: answer("Turn(6);"), *[FAULTS["500"]] * 4, lambda: answer("Go(20);"))
    result = run(battery, tmp_path / "logs", MODEL, **FAST)
    assert (result.rows[0].passed, result.rows[0].turns, len(asked)) == (True, 2, 6)


def test_a_conversation_that_fails_late_still_logs_the_finished_episodes(battery, tmp_path, provider):
    provider(*[lambda: answer("Turn(6);")] * 3, lambda: failure(400, "no more"))
    options = {**FAST, "tasks": "01-04-03,01-06-02", "conversation": "run", "relaunches": 0}
    sample = sample_of(run(battery, tmp_path / "logs", MODEL, **options))
    assert sample.error is not None
    assert [record["outcome"] for record in sample.metadata["episodes"].values()] == ["health gone"]


@pytest.mark.parametrize(("retries", "relaunches", "requests"), [(0, 0, 1), (2, 0, 3), (0, 2, 3)])
def test_retries_and_relaunches_are_as_many_as_asked_for(
    retries, relaunches, requests, battery, tmp_path, provider
):
    asked = provider(FAULTS["500"])
    run(battery, tmp_path / "logs", MODEL, **FAST, retries=retries, relaunches=relaunches)
    assert len(asked) == requests


def test_a_server_that_asks_for_patience_gets_it(battery, tmp_path, provider):
    asked = provider(lambda: failure(429, retry_after="0.7"), lambda: answer("Go(20);"))
    run(battery, tmp_path / "logs", MODEL, **FAST)
    assert asked[1] - asked[0] >= 0.7


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "99999"}, faults.LONGEST_WAIT_S),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_the_wait_is_as_long_as_the_server_asks(headers, seconds, monkeypatch):
    model = get_model("mockllm/model", memoize=False)
    faults.guard(model)
    error = RuntimeError()
    error.response = SimpleNamespace(headers=headers)
    outcome = SimpleNamespace(exception=lambda: error)
    waited = [
        model.api.retry_wait()(SimpleNamespace(outcome=outcome, attempt_number=attempt)) for attempt in (1, 3)
    ]
    if seconds is None:
        first = faults.FIRST_WAIT_S
        assert first <= waited[0] <= 2 * first < 4 * first <= waited[1] <= 5 * first
    else:
        assert waited == [seconds, seconds]


def test_a_slow_reply_is_a_fault_where_the_protocol_says_so(battery, tmp_path, provider):
    asked = provider(slow)
    options = {**FAST, "retries": 1, "relaunches": 0}
    # First, so that the client is imported: otherwise a busy machine does not even send a request in time.
    assert run(battery, tmp_path / "a", MODEL, **options, reply_timeout=60).rows[0].passed
    before = len(asked)
    assert "timeout" in run(battery, tmp_path / "b", MODEL, **options, reply_timeout=2).rows[0].error.lower()
    assert len(asked) == before + 2


GOOGLE = {
    "{}": {},
    "no candidates": {"candidates": [], "usageMetadata": {"promptTokenCount": 1}, "modelVersion": "m"},
    "blocked": {"promptFeedback": {"blockReason": "SAFETY"}},
    "empty text": {"candidates": [{"finishReason": "STOP", "index": 0}]},
}
"""Answers of Google with the status 200 and without a text."""


@pytest.fixture
def google(provider):
    """The same for the bodies of Google's answers."""

    def served(body):
        return lambda: Response(json.dumps(body), content_type="application/json")

    return lambda *bodies: provider(*map(served, bodies))


@pytest.mark.parametrize(
    ("kind", "requests", "turns"), [("{}", 2, 1), ("no candidates", 2, 1), ("empty text", 2, 2)]
)
def test_an_answer_of_google_without_candidates_is_asked_for_again(
    kind, requests, turns, battery, tmp_path, google
):
    asked = google(GOOGLE[kind], google_reply("Go(20);"))
    result = run(battery, tmp_path / "logs", "google/gemini-2.5-pro", **FAST)
    assert (result.rows[0].passed, result.rows[0].turns, len(asked)) == (True, turns, requests)
    assert len(told(sample_of(result))) == requests - turns


@pytest.mark.parametrize(
    ("kind", "requests", "error"),
    [
        ("{}", 4, "the provider failed: the answer has no message"),
        ("blocked", 1, "ended by the provider's content filter"),
    ],
)
def test_google_that_never_answers_or_blocks_a_prompt_is_no_verdict_on_the_model(
    kind, requests, error, battery, tmp_path, google
):
    asked = google(GOOGLE[kind])
    (row,) = run(battery, tmp_path / "logs", "google/gemini-2.5-pro", **FAST, retries=1).rows
    assert (row.passed, len(asked)) == (None, requests)
    assert row.error.startswith(error)


STOPS = {
    "output limit": lambda: answer("Go(20); Think('I was cut", finish_reason="length"),
    "context length": lambda: failure(400, "Too many tokens.", code="context_length_exceeded"),
    "content filter": lambda: answer("Go(20);", finish_reason="content_filter"),
    "refusal": lambda: answer(None, refusal="I will not drive."),
}


@pytest.mark.parametrize(
    ("kind", "conversation"), [*((kind, "episode") for kind in STOPS), ("output limit", "run")]
)
def test_a_stop_is_a_verdict_of_its_own_and_never_played(kind, conversation, battery, tmp_path, provider):
    asked = provider(lambda: answer("Turn(6);"), STOPS[kind])
    tasks = "01-04-03,01-06-02" if conversation == "run" else "01-04-03"
    options = {**FAST, "tasks": tasks, "conversation": conversation, "max_scripts": 3}
    result = run(battery, tmp_path / "logs", MODEL, **options)
    stopped = result.rows[0]
    assert (stopped.passed, stopped.score, stopped.total_reward) == (None, None, None)
    assert stopped.error.startswith(f"ended by {CAUSES[kind]}")
    episode = next(result.run.episodes())
    assert (len(episode.turns), episode.limit.kind) == (1, kind)
    assert sample_of(result).scores["episode_score"].value == 0
    assert len(asked) == 2
    assert not sample_of(result).error_retries
    assert result.run.pass_rate == 0
    written = report_logs([result.run], tmp_path / "report", None, False)
    rows = pd.read_csv(tmp_path / "report" / "results.csv")
    assert episode.limit.ended in list(pd.read_csv(tmp_path / "report" / "episodes.csv")["status"])
    assert rows["passed"].isna().all()
    assert CAUSES[kind] in html.unescape(written.page.read_text())
    every = checked(result.log)
    assert every[0].verdict is Verdict.AGREES
    if conversation == "episode":
        assert pass_rates([result.run], every) == ([], [])


def test_the_report_says_what_was_really_sent_and_what_went_wrong(battery, tmp_path, provider):
    thinking = {"reasoning_content": "The ball is ahead."}
    provider(FAULTS["500"], *[lambda: answer("Turn(6);", **thinking)] * 2, lambda: answer("nonsense"))
    options = {**FAST, "temperature": 0.5, "max_tokens": 100, "max_scripts": 3}
    result = run(battery, tmp_path / "logs", MODEL, **options)
    written = report_logs([result.run], tmp_path / "report", None, False)
    (card,) = json.loads((tmp_path / "report" / CARDS_FILE).read_text())
    RunCard.model_validate_json(json.dumps(card))
    parameters = {"temperature": 0.5, "max_tokens": 100}
    assert card["sent"] == [{"parameters": parameters, "seeds": 0, "requests": 3}]
    counted = ("replies", "invalid_replies", "failed_attempts", "relaunches", "resumes")
    assert [card[name] for name in counted] == [3, 1, 1, 0, 0]
    assert (card["planned"], card["judged"], card["passed"]) == (1, 1, 0)
    page = written.page.read_text()
    assert "max_tokens 100, temperature 0.5" in page
    assert "1 failed request." in page
    turns = pd.read_csv(tmp_path / "report" / "turns.csv")
    assert list(turns["reasoning"].fillna("")) == ["The ball is ahead.", "The ball is ahead.", ""]
    (episode,) = (tmp_path / "report" / "episodes").rglob("*.html")
    assert episode.read_text().count("The ball is ahead.") == 2


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_request_that_will_fail_again_is_not_relaunched(status, battery, tmp_path, provider):
    asked = provider(lambda: answer("Turn(6);"), lambda: failure(status, "first line\nNo such picture."))
    result = run(battery, tmp_path / "logs", MODEL, **FAST, relaunches=3)
    assert len(asked) == 2
    (episode,) = result.run.episodes()
    assert episode.relaunches == 0
    assert result.rows[0].error == "the provider failed: No such picture."
    sample = sample_of(result)
    assert [message.text for message in sample.messages if message.role == "assistant"] == ["Turn(6);"]


def written(folder):
    for path in folder.rglob("*"):
        if path.is_file():
            yield path, path.read_bytes()
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    for name in archive.namelist():
                        yield path / name, archive.read(name)


@pytest.mark.e2e
@pytest.mark.parametrize("status", [401, 500, 200])
def test_a_key_is_in_nothing_that_is_written_or_said(
    status, battery, tmp_path, provider, monkeypatch, capfd, caplog
):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    text = f"Incorrect API key provided: {KEY}."
    provider(lambda: answer(f"Think('{KEY}');") if status == 200 else failure(status, text))
    logs = tmp_path / "logs"
    options = [part for k, v in FAST.items() for part in (f"--{k.replace('_', '-')}", str(v))]
    said = CliRunner().invoke(
        app, ["eval", "--model", MODEL, "--testbed", str(battery), "--log-dir", str(logs), *options]
    )
    found = list(written(tmp_path))
    assert any(b"[key]" in content for _, content in found)
    assert not [str(path) for path, content in found if KEY.encode() in content]
    printed = capfd.readouterr()
    assert KEY not in said.output + str(said.exception) + printed.out + printed.err + caplog.text
