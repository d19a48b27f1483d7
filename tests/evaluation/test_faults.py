"""What a provider does wrong, from a local server: asked again, relaunched, or played as it is."""

import time
import zipfile
from types import SimpleNamespace

import pytest
from inspect_ai.log import read_eval_log
from werkzeug import Response

from evaluation.generation import faults
from tests.llm_control.batteries import run, write_battery
from tests.llm_control.provider import MODEL, answer, failure

KEY = "sk-planted-Secret0123456789"
FAST = {"image_size": 16, "initial_idle_steps": "1", "tasks": "01-04-03", "max_scripts": 2}


@pytest.fixture
def battery(tmp_path):
    return write_battery(tmp_path / "battery", (20, 16), (24, 20))


@pytest.fixture
def provider(httpserver, monkeypatch):
    """Serves the responses of a list, one after another, the last one forever; and notes the requests."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setattr(faults, "FIRST_WAIT_S", 0.01)
    asked = []

    def begin(*responses):
        def serve(request):
            asked.append((time.monotonic(), request.get_json()))
            made = responses[min(len(asked), len(responses)) - 1]
            return made() if callable(made) and not isinstance(made, Response) else made

        httpserver.expect_request("/v1/chat/completions").respond_with_handler(serve)
        return asked

    return begin


def sample_of(result):
    return read_eval_log(str(result.log)).samples[0]


def told(sample):
    """What the log says of failed attempts."""
    return [e.data for e in sample.events if e.event == "info" and "attempt failed" in (e.data or {})]


def slow():
    time.sleep(1.6)
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
    assert result.rows[0].passed is None
    assert result.rows[0].error
    assert len(asked) == 8
    assert len(sample_of(result).error_retries) == 1


def test_a_relaunched_trial_begins_anew(battery, tmp_path, provider):
    provider(lambda: answer("Turn(6);"), *[FAULTS["500"]] * 4, lambda: answer("Go(20);"))
    result = run(battery, tmp_path / "logs", MODEL, **FAST)
    assert (result.rows[0].passed, result.rows[0].turns) == (True, 1)


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
    assert asked[1][0] - asked[0][0] >= 0.7


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
    from inspect_ai.model import get_model

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
    assert "timeout" in run(battery, tmp_path / "a", MODEL, **options, reply_timeout=1).rows[0].error.lower()
    assert len(asked) == 2
    assert run(battery, tmp_path / "b", MODEL, **options, reply_timeout=30).rows[0].passed


@pytest.mark.parametrize("own", [("", {}), (None, {"refusal": "I will not."})], ids=["empty", "refusal"])
def test_an_empty_text_and_a_refusal_are_the_models_own_turn(own, battery, tmp_path, provider):
    text, message = own
    asked = provider(lambda: answer(text, **message), lambda: answer("Go(20);"))
    result = run(battery, tmp_path / "logs", MODEL, **FAST)
    assert len(asked) == 2
    assert (result.rows[0].passed, result.rows[0].turns) == (True, 2)
    sample = sample_of(result)
    assert sample.metadata["episode"]["turns"][0]["error"]
    assert told(sample) == []


def written(folder):
    for path in folder.rglob("*"):
        if path.is_file():
            yield path, path.read_bytes()
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    for name in archive.namelist():
                        yield path / name, archive.read(name)


@pytest.mark.parametrize("status", [401, 400, 429, 500, 200])
def test_a_key_is_in_nothing_that_is_written_or_said(
    status, battery, tmp_path, provider, monkeypatch, capfd, caplog
):
    from typer.testing import CliRunner

    from arena_llm.cli import app

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
