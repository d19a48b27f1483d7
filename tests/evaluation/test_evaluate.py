"""Whole evaluations: offline agents, real SDKs against a local server, kill and resume."""

import base64
import json
import os
import re
import signal
import subprocess
import time
import zipfile
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import GenerateConfig
from werkzeug import Request as HttpRequest
from werkzeug import Response

from arena import IDLE, Episode, EvaluationError, load
from evaluation.generation.generate import refused_parameter
from render import Renderer, decode
from tests.command import run as run_command
from tests.command import start
from tests.llm_control.batteries import battery_of, run
from tests.llm_control.provider import answer

battery = battery_of((20, 16), (20, 20), (20, 24))


def test_an_offline_agent_passes_and_every_trial_has_a_row(battery, tmp_path):
    result = run(battery, tmp_path / "logs", "arena/pixels", trials=2)
    assert result.complete
    trials = [(row.task_id, row.trial) for row in result.rows]
    assert trials == list(product(("01-04-03", "01-06-02", "01-21-01"), (0, 1)))
    assert all(row.passed and row.outcome == "goal" and row.error is None for row in result.rows)


def test_a_task_without_a_pass_mark_is_neither_passed_nor_failed(battery, tmp_path):
    text = (battery / "01-04-03.yaml").read_text()
    (battery / "01-04-03.yaml").write_text(text.replace("    pass_mark: 0\n", ""))
    rows = run(battery, tmp_path / "logs", "arena/pixels").rows
    assert [row.passed for row in rows] == [None, True, True]
    assert rows[0].total_reward > 0
    assert rows[0].error is None


def png_of(body: object) -> list[bytes]:
    """Every PNG that is somewhere in a request, in order."""
    if isinstance(body, str):
        data = (body.partition("base64,")[2] or body).replace("-", "+").replace("_", "/")
        return [base64.b64decode(data + "=" * (-len(data) % 4))] if data.startswith("iVBOR") else []
    parts = body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    return [png for part in parts for png in png_of(part)]


def anthropic_reply(text: str) -> dict:
    content, usage = [{"type": "text", "text": text}], {"input_tokens": 1, "output_tokens": 1}
    said = {"id": "m1", "type": "message", "role": "assistant", "model": "some-model-2", "content": content}
    return {**said, "stop_reason": "end_turn", "stop_sequence": None, "usage": usage}


def google_reply(text: str) -> dict:
    content = {"role": "model", "parts": [{"text": text}]}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidates = [{"content": content, "finishReason": "STOP", "index": 0}]
    return {"candidates": candidates, "usageMetadata": usage, "modelVersion": "some-model-2"}


PROVIDERS = {
    "openai/gpt-4o": ("/v1", lambda text: answer(text).get_json()),
    "anthropic/claude-3-5-sonnet-20240620": ("", anthropic_reply),
    "google/gemini-1.5-pro": ("", google_reply),
}


@pytest.mark.parametrize("model", PROVIDERS)
def test_real_sdks_carry_the_picture_intact(model, battery, tmp_path, httpserver, monkeypatch):
    name, (suffix, reply) = model.partition("/")[0].upper(), PROVIDERS[model]
    monkeypatch.setenv(f"{name}_API_KEY", "test-key")
    monkeypatch.setenv(f"{name}_BASE_URL", httpserver.url_for(suffix))
    bodies = []

    def serve(request: HttpRequest) -> Response:
        bodies.append(request.get_json())
        return Response(json.dumps(reply("Think('ahead'); Go(20);")), content_type="application/json")

    httpserver.expect_request(re.compile(".*")).respond_with_handler(serve)
    result = run(battery, tmp_path / "logs", model)
    assert [row.passed for row in result.rows] == [True] * 3, result.rows
    assert {episode.answered_by for episode in result.run.episodes()} == {"some-model-2"}
    assert "test-key" not in Path(result.log).read_bytes().decode("latin-1")
    first = {}
    for path in battery.iterdir():
        episode = Episode(load(path).arenas[0], task_id=path.stem)
        for _ in range(33):
            episode.step(IDLE)
        first[Renderer(512, 512).frame(episode.scene()).tobytes()] = path.stem
    opened = {first.get(decode(png_of(body)[2]).tobytes()) for body in bodies if len(png_of(body)) == 3}
    assert opened == set(first.values())


def test_only_a_refusal_of_our_own_parameter_is_one():
    class Refusal(Exception):
        status_code = 400

    class Broken(Exception):
        status_code = 500

    config = GenerateConfig(temperature=0.0)
    assert refused_parameter(Refusal("no temperature"), config) == "temperature"
    assert refused_parameter(Refusal("no such model"), config) is None
    assert refused_parameter(Broken("temperature"), config) is None
    assert refused_parameter(Refusal("no temperature"), GenerateConfig()) is None


def wait_for_samples(logs: Path, count: int, process: subprocess.Popen) -> None:
    """Until so many episodes are finished."""
    deadline = time.time() + 200
    while time.time() < deadline and process.poll() is None:
        for log in logs.glob("*.eval"):
            try:
                names = zipfile.ZipFile(log).namelist()
            except (zipfile.BadZipFile, OSError):
                continue
            if sum(name.startswith("samples/") for name in names) >= count:
                return
        time.sleep(0.05)
    raise AssertionError("the run finished before it could be interrupted, or did not start")


def finished(logs: Path) -> dict[tuple[str, int], float]:
    samples = [s for info in list_eval_logs(str(logs)) for s in read_eval_log(info).samples or [] if s.scores]
    return {(str(s.id), s.epoch): s.scores["episode_score"].metadata["total_reward"] for s in samples}


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_run_loses_nothing_and_goes_on(how, battery, tmp_path):
    logs = tmp_path / "logs"
    short = ("--trials", "4", "--max-scripts", "12", "--image-size", "16")
    command = ("eval", "--model", "arena/random", "--testbed", battery, "--log-dir", logs, *short)
    process = start(*command)
    wait_for_samples(logs, 2, process)
    os.kill(process.pid, how)
    _, said = process.communicate(timeout=240)
    if how == signal.SIGINT:
        kept = f"Stopped. Finished episodes are kept in {logs}; the same command with --resume continues.\n"
        assert (process.returncode, said) == (130, kept)
    else:
        assert process.returncode != 0
    before = finished(logs)
    assert len(before) >= 2
    again = run_command(*command, "--resume")
    assert again.returncode == 0, again.stderr
    after = finished(logs)
    assert len(after) == 12
    assert before.items() <= after.items()
    assert len(next(logs.glob("*/results.csv")).read_text().splitlines()) == 13


def test_only_the_same_command_is_resumed(battery, tmp_path):
    play = partial(run, battery, tmp_path / "logs", "arena/pixels")
    with pytest.raises(EvaluationError, match="no unfinished run"):
        play(resume=True)
    play()
    (tmp_path / "logs" / "broken.eval").touch()
    with pytest.raises(EvaluationError, match="no unfinished run"):
        play(resume=True)
