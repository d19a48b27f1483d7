"""Seats are limited, and others wait; nothing is drawn here, so no worker processes are needed."""

import asyncio
import os
import signal

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from people.play import players as players_module
from people.play.app import create_app
from people.play.page_protocol import PROTOCOL
from people.play.players import Players
from people.play.security import COOKIE
from tests.people.play.server import Assignments


@pytest.fixture
def client(store):
    players = Players(store, Assignments(), workers=0, seats=2)
    with TestClient(create_app(players), base_url="http://testserver") as client:
        client.tokens = [store.add_participant(f"P{number}").token for number in range(5)]
        yield client
    players.recorder.close()


def page(client, number: int):
    headers = {"cookie": f"{COOKIE}={client.tokens[number]}", "origin": "http://testserver"}
    return client.websocket_connect("/play/socket", headers=headers)


def say_hello(socket) -> None:
    socket.send_json({"type": "hello", "n": 1, "protocol": PROTOCOL})


def greet(socket) -> dict:
    say_hello(socket)
    return socket.receive_json()


def test_the_server_is_ready_when_its_workers_are(store):
    """A worker that dies meanwhile is replaced when it is needed."""

    async def start(players: Players) -> None:
        starting = asyncio.create_task(players.start())
        await asyncio.sleep(0.05)
        dies, lives = players.workers.processes
        assert not starting.done()
        assert not lives.ready.is_set()
        os.kill(dies.process.pid, signal.SIGKILL)
        await starting
        assert dies.lost
        assert lives.ready.is_set()
        assert not lives.lost
        await players.close()

    players = Players(store, Assignments(), workers=2)
    asyncio.run(start(players))
    players.recorder.close()


WAITING = {"type": "waiting"}
OVER = "over"


def test_newcomers_wait_and_get_in_by_themselves_in_order(client, monkeypatch):
    monkeypatch.setattr(players_module, "GRACE_S", 0.05)
    with page(client, 0) as first, page(client, 2) as third, page(client, 3) as fourth:
        with page(client, 1) as second:
            assert greet(first)["type"] == greet(second)["type"] == OVER
            assert greet(third) == WAITING | {"before": 0}
            assert greet(fourth) == WAITING | {"before": 1}
            with page(client, 4) as fifth:
                assert greet(fifth) == WAITING | {"before": 2}
            # One who no longer waits, and one who opens the page again.
            with page(client, 3) as again:
                assert greet(again) == WAITING | {"before": 1}
                assert closed(fourth) == (4001, "opened in another window")
                # Nobody overtakes by asking again, and whoever has a seat keeps it.
                with page(client, 1) as reloaded:
                    assert greet(reloaded)["type"] == OVER
        assert until(third, OVER)["next_page"] is None
    # Their seats become free a moment later.
    with page(client, 3) as fourth:
        say_hello(fourth)
        until(fourth, OVER)


def test_of_a_crowd_that_waits_the_last_are_refused(client, monkeypatch):
    monkeypatch.setattr(players_module, "MAX_WAITING", 1)
    with page(client, 0) as first, page(client, 1) as second, page(client, 2) as third:
        assert greet(first)["type"] == greet(second)["type"] == OVER
        assert greet(third)["type"] == "waiting"
        with page(client, 3) as fourth:
            say_hello(fourth)
            assert closed(fourth) == (1008, "Too many people are playing right now. Please try again later.")


def test_while_others_wait_a_seat_is_not_kept_by_an_absent_player(client, monkeypatch):
    for name, seconds in (("GRACE_S", 0.05), ("IDLE_S", 0.3), ("CHECK_S", 0.1)):
        monkeypatch.setattr(players_module, name, seconds)
    with page(client, 0) as absent, page(client, 1) as active, page(client, 2) as waiting:
        assert greet(absent)["type"] == greet(active)["type"] == OVER
        assert greet(waiting)["type"] == "waiting"
        assert closed(absent)[1] == "You were away for a while, and others were waiting to play."
        absent.close()
        assert until(waiting, OVER)["next_page"] is None


def until(socket, kind: str) -> dict:
    while (message := socket.receive_json())["type"] != kind:
        pass
    return message


def closed(socket) -> tuple[int, str]:
    """Close code and reason, after the messages that came before."""
    with pytest.raises(WebSocketDisconnect) as refused:
        until(socket, "nothing")
    return refused.value.code, refused.value.reason
