"""A conversation over many tasks is one sample of Inspect; a kill must not cost its finished tasks."""

import json
import os
import signal
import subprocess
import sys
import time

from inspect_ai.log import list_eval_logs, read_eval_log

from tests.llm_control.batteries import write_battery


def kept(logs):
    """The replies on disk."""
    lines = [line for file in logs.glob("*.replies.jsonl") for line in file.read_text().splitlines()]
    whole = []
    for line in filter(None, lines):
        try:
            whole.append(json.loads(line)["output"]["choices"][0]["message"]["content"])
        except json.JSONDecodeError:
            continue
    return whole


def test_a_killed_conversation_goes_on_where_it_was(tmp_path):
    battery, logs = (
        write_battery(tmp_path / "battery", (20, 16), (3, 38), (38, 38), t=1000),
        tmp_path / "logs",
    )
    command = [
        sys.executable,
        "-m",
        "arena_llm",
        "eval",
        "--model",
        "arena/random",
        "--testbed",
        str(battery),
    ]
    command += ["--protocol", "one-conversation", "--image-size", "64", "--log-dir", str(logs)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.time() + 200
    while len(kept(logs)) < 12 and time.time() < deadline and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None, "the run finished before it could be killed"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = kept(logs)
    assert len(before) >= 12
    again = subprocess.run([*command, "--resume"], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stdout + again.stderr
    assert kept(logs)[: len(before)] == before
    samples = [s for info in list_eval_logs(str(logs)) for s in read_eval_log(info).samples or [] if s.scores]
    (sample,) = samples
    assert len(sample.metadata["episodes"]) == 3
    replies = [message.text for message in sample.messages if message.role == "assistant"]
    assert replies == kept(logs)
    asked = sum(event.event == "model" for event in sample.events)
    assert asked == len(replies) - len(before)
    table = next(logs.glob("*/results.csv")).read_text().splitlines()
    assert len(table) == 4
