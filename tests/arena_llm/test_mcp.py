"""Agents of other programs play by MCP, and their episodes are logs as a model's are."""

import json
import re
import signal
import sys
from functools import partial

import anyio
import httpx2
import inspect_ai
import pytest
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.tool import mcp_server_stdio
from mcp import Client, Implementation, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from arena.errors import EvaluationError
from arena_llm import mcp_server
from arena_llm.mcp_server import Seats
from evaluation.log.run import RunLog
from evaluation.opened import Episodes, Opened
from tests.command import start
from tests.llm_control.replies import called

ALL = "Belief([1, 1, 1, 1, 1, 1, 1, 1, 1]); Trial([1, 2, 3]);"
SERVE = ("-m", "arena_llm", "mcp")


async def call(client, tool, **arguments):
    """The texts of a tool's answer, whether it is an error, and its pictures."""
    done = await client.call_tool(tool, arguments)
    pictures = [part for part in done.content if part.type == "image"]
    return "\n".join(p.text for p in done.content if p.type == "text"), done.is_error, pictures


def key_of(text):
    return re.search(r"Episode (\w+), task", text)[1]


def logs_in(folder):
    logs = [RunLog(path) for path in sorted(folder.glob("*.eval"))]
    return {log.agent: {row.task_id: row for row in log.results()} for log in logs}


async def played_to_the_end(client, key=None):
    key = key or key_of((await call(client, "begin"))[0])
    for _ in range(10):
        last, wrong, _ = await call(client, "act", episode=key, reply=ALL)
        assert not wrong
    assert "The episode is over" in last


def test_an_agent_on_standard_streams(tmp_path, command):
    async def play():
        options = ("--suite", "est", "--tasks", "est-00001,est-00002,est-00003", "--log-dir", str(tmp_path))
        server = StdioServerParameters(command=sys.executable, args=[*SERVE, *options])
        async with Client(stdio_client(server)) as client:
            rules = (await client.get_prompt("rules")).messages[0].content.text
            assert (await client.read_resource("rules://est")).contents[0].text == rules
            await played_to_the_end(client)
            assert rules in (await call(client, "begin", task="est-00003"))[0]
            assert (await call(client, "begin", task="est-1"))[1]

    anyio.run(play)
    rows = logs_in(tmp_path)["mcp/mcp"]
    assert [row.passed for row in rows.values()] == [False, None, None]
    assert rows["est-00002"].error == "not run"
    assert "did not play it to its end" in rows["est-00003"].error
    (log,) = tmp_path.glob("*.eval")
    verified = command("verify", log)
    assert (verified.returncode, "2 of 2 episodes: agrees" in verified.stdout) == (0, True), verified
    assert command("report", log, "--out", tmp_path / "report").returncode == 0
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "mcp; no prompts or requests by arena-llm" in page


def send(server, **message):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()


def begun_server(*options):
    """A server on standard streams, with whom the protocol is agreed."""
    server = start("mcp", *map(str, options))
    own = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a/b", "version": "1"}}
    send(server, id=1, method="initialize", params=own)
    send(server, method="notifications/initialized")
    server.stdout.readline()
    return server


def asked(server, tool, **arguments):
    """The parts of a tool's answer, by lines on standard streams."""
    send(server, id=2, method="tools/call", params={"name": tool, "arguments": arguments})
    return json.loads(server.stdout.readline())["result"]["content"]


def test_only_the_protocol_is_on_standard_output_and_ctrl_c_keeps_the_log(tmp_path):
    server = begun_server("--tasks", "01-01-01", "--image-size", "64", "--log-dir", tmp_path)
    assert [part["type"] for part in asked(server, "begin")].count("image") == 3
    server.send_signal(signal.SIGINT)
    # With its input still open, as a client leaves it.
    assert server.wait(timeout=60) == 128 + signal.SIGINT
    assert server.communicate() == ("", "arena-llm: stopped\n")
    assert logs_in(tmp_path)["mcp/a-b"]["01-01-01"].passed is None


def test_kill_keeps_what_was_played(tmp_path, command):
    server = begun_server("--suite", "est", "--tasks", "est-00001,est-00002", "--log-dir", tmp_path)
    key = key_of(asked(server, "begin")[0]["text"])
    last = [asked(server, "act", episode=key, reply=ALL) for _ in range(10)][-1]
    assert "The episode is over" in last[-1]["text"]
    asked(server, "begin")
    server.kill()
    server.communicate()
    assert [row.passed for row in logs_in(tmp_path)["mcp/a-b"].values()] == [False, None]
    assert command("verify", *tmp_path.glob("*.eval")).returncode == 0


def test_two_agents_over_http(tmp_path, command):
    server = start("mcp", "--suite", "est", "--http", "--port=0", "--token", "secret", "--log-dir", tmp_path)
    url = re.search(r"http://\S+mcp", server.stdout.readline())[0]

    async def connected(act, name, mode, token="secret"):
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http:
            transport = streamable_http_client(url, http_client=http)
            own = Implementation(name=name, version="1")
            async with Client(transport, mode=mode, client_info=own) as client:
                await act(client)

    async def both():
        async def one(client):
            told, _, _ = await call(client, "begin")
            await connected(partial(other, key_of(told)), "other", "auto")
            assert not (await call(client, "act", episode=key_of(told), reply=ALL))[1]

        async def other(key, client):
            for tool, more in (("act", {"reply": ALL}), ("finish", {})):
                text, wrong, _ = await call(client, tool, episode=key, **more)
                assert (wrong, "of yours is open" in text) == (True, True)
            told, _, _ = await call(client, "begin")
            await connected(partial(played_to_the_end, key=key_of(told)), "again", "auto")
            async with anyio.create_task_group() as group:
                for _ in range(3):
                    group.start_soon(played_to_the_end, client)

        await connected(one, "one", "legacy")
        with pytest.raises(Exception):  # noqa: B017, PT011  a group of the transport's errors
            await connected(one, "one", "legacy", token="wrong")

    try:
        anyio.run(both)
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate()
    assert server.returncode == 0
    found = {agent: [row.passed for row in rows.values()] for agent, rows in logs_in(tmp_path).items()}
    assert found == {"mcp/one": [None], "mcp/other": [False] * 4}
    compared = command("compare", *tmp_path.glob("*.eval"), "--with", "", "--out", tmp_path / "compared")
    assert (compared.returncode, "mcp/other" in compared.stdout) == (0, True), compared


def test_an_agent_of_inspect_ai(tmp_path):
    def reply(messages, *_):
        told = [message.text for message in messages if message.role == "tool"]
        if not told:
            return called("begin")
        if "The episode is over" in told[-1]:
            return called("submit", answer="done")
        return called("act", episode=key_of(told[0]), reply=ALL)

    options = ["--suite", "est", "--name", "react", "--log-dir", str(tmp_path)]
    tools = mcp_server_stdio(command=sys.executable, args=[*SERVE, *options])
    task = inspect_ai.Task([Sample("Play.")], solver=react(tools=[tools]), message_limit=60)
    model = get_model("mockllm/model", custom_outputs=reply)
    (log,) = inspect_ai.eval(task, model=model, display="none", log_dir=str(tmp_path / "theirs"))
    assert log.status == "success", log.error
    assert [row.passed for row in logs_in(tmp_path)["mcp/react"].values()] == [False]


def test_places_and_repeated_tasks(tmp_path, monkeypatch):
    async def play(logs):
        seats = Seats(Episodes(Opened.named("est"), limit=2), logs)
        refused = partial(pytest.raises, EvaluationError)
        logs.symlink_to("/proc/none")
        with refused(match="make room"):
            await seats.begin("est-00009", "a", None)
        logs.unlink()
        first = key_of((await seats.begin("", "a", "session"))[0])
        with refused(match="of yours"):
            await seats.act(first, "another session", ALL)
        with refused(match="plays each once"):
            await seats.begin("est-00001", "a", None)
        other = key_of((await seats.begin("est-00001", "b", None))[0])
        with refused(match="the maximum"):
            await seats.begin("", "a", None)
        await seats.finish(other, None)
        with refused(match="has ended"):
            await seats.act(other, None, ALL)
        monkeypatch.setattr(mcp_server, "IDLE_S", -1.0)
        assert (await seats.begin("", "a", None))[0].endswith("task est-00002.")
        with refused(match="has ended"):
            await seats.act(first, "session", ALL)
        await seats.close()

    anyio.run(play, tmp_path / "logs")
    played = {agent: [*rows] for agent, rows in logs_in(tmp_path / "logs").items()}
    assert played == {"mcp/a": ["est-00001", "est-00002"], "mcp/b": ["est-00001"]}
