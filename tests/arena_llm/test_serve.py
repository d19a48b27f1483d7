"""Suites are OpenEnv environments for OpenEnv's own client."""

import base64
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from openenv.core.generic_client import GenericEnvClient
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect

from evaluation.opened import Episodes, Opened
from render import decode
from tests.command import start
from tests.suites.setups import each_of

ALL = {"reply": "Belief([1, 1, 1, 1, 1, 1, 1, 1, 1]); Trial([1, 2, 3]);"}
TASKS = {
    "arena": "01-01-01",
    "est": "est-00002",
    "boxing": "location-prediction-0",
    "discoveryworld": "proteomics-easy-0",
    "scienceworld": "1-1-0021",
}


@contextmanager
def serving(*options):
    """The address of a server, and its process."""
    server = start("serve", "--port", "0", *options)
    try:
        yield re.search(r"http://\S+", server.stdout.readline())[0].rstrip("/"), server
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate()


def client_of(url):
    """The client; from version 0.3 on it is asynchronous by default."""
    client = GenericEnvClient(url)
    return client.sync() if hasattr(client, "sync") else client


def waited_for(reset):
    """The first observation, as soon as there is a place."""
    for _ in range(50):
        with suppress(RuntimeError):
            return reset()
        time.sleep(0.1)
    return reset()


def reset_by(websocket):
    websocket.send('{"type": "reset", "data": {}}')
    if json.loads(websocket.recv())["type"] == "error":
        raise RuntimeError


@pytest.mark.parametrize("suite", each_of(TASKS, slow=("boxing", "discoveryworld", "scienceworld")))
def test_the_client_plays_what_we_play(suite):
    episode = Episodes(Opened.named(suite), 1).begin(TASKS[suite])
    ours = [episode.shown]
    with serving("--suite", suite) as (url, _), client_of(url) as client:
        shown = [client.reset(task=TASKS[suite], episode_id="mine")]
        for reply in ("Go(3);", "nothing of use"):
            shown.append(client.step({"reply": reply}))
            episode.reply(reply)
            assert shown[-1].reward == episode.reward
            ours.append(episode.shown)
        state = client.state()
    episode.close()
    known = {"episode_id": "mine", "step_count": 2, "task": TASKS[suite], "score": None}
    assert known.items() <= state.items()
    for parts, result in zip(ours, shown, strict=True):
        frames = [decode(base64.b64decode(image)) for image in result.observation["images"]]
        assert result.observation["text"] == "\n\n".join(part for part in parts if isinstance(part, str))
        expected = [part for part in parts if not isinstance(part, str)]
        assert [frame.tolist() for frame in frames] == [part.tolist() for part in expected]
    assert bool(frames) == (suite == "arena")


def test_two_clients_a_full_server_and_its_end():
    with serving("--suite", "est", "--sessions", "2") as (url, server):
        one, other = client_of(url).connect(), client_of(url).connect()
        with pytest.raises(RuntimeError, match="call reset"):
            one.step(ALL)
        with pytest.raises(RuntimeError, match="no task est-2; with machine = est"):
            one.reset(task="est-2")
        assert {each.reset().observation["task"] for each in (one, other)} == {"est-00001", "est-00002"}
        assert one.reset(seed=6).observation["task"] == "est-00007"
        results = [(one.step(ALL), other.step(ALL)) for _ in range(10)]
        assert [[result.done for result in both] for both in results[-2:]] == [[False, False], [True, True]]
        assert one.state()["passed"] is False
        with pytest.raises(RuntimeError, match="has ended"):
            one.step(ALL)
        with pytest.raises(RuntimeError, match="2 episodes are in progress, the maximum"):
            client_of(url).reset()
        other.close()
        gone = connect(f"{url.replace('http', 'ws')}/ws")
        waited_for(partial(reset_by, gone))
        # It vanishes without a word.
        gone.socket.shutdown(socket.SHUT_RDWR)
        late = client_of(url).connect()
        assert waited_for(late.reset).observation["task"] == "est-00004"
        server.kill()
        with pytest.raises(ConnectionClosedError):
            late.step(ALL)


def test_the_folder_for_openenv(tmp_path):
    folder = shutil.copytree(Path(__file__).parents[2] / "hosting" / "openenv", tmp_path / "openenv")
    # `uv lock` writes it, which needs a network; without uv OpenEnv only looks that it is there.
    (folder / "uv.lock").write_text("version = 1\n", encoding="utf-8")
    command = [sys.executable, "-m", "openenv.cli", "validate", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": ""})
    assert (done.returncode, "Ready for multi-mode deployment" in done.stdout) == (0, True), done.stderr
