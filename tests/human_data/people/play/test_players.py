"""The number of players has a limit; nothing is drawn here, so no worker processes are needed."""

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from human_data.people.play import players as module
from human_data.people.play.app import create_app
from human_data.people.play.page_protocol import PROTOCOL
from human_data.people.play.players import Players
from human_data.people.play.security import COOKIE
from human_data.people.store import Store


class Nothing:
    """A task source without tasks."""

    def next_task(self, store, participant):
        return None

    def resumed(self, store, participant, trial):
        return None

    def finished(self, store, participant, trial, recording):
        return None

    def next_page(self, participant):
        return None


@pytest.fixture
def client(tmp_path):
    with Store(str(tmp_path / "play.db")) as store:
        players = Players(store, Nothing(), workers=0)
        with TestClient(create_app(players), base_url="http://testserver") as client:
            client.tokens = [store.add_participant(f"P{number}").token for number in range(3)]
            yield client
        players.recorder.close()


def page(client, number: int):
    headers = {"cookie": f"{COOKIE}={client.tokens[number]}", "origin": "http://testserver"}
    return client.websocket_connect("/play/socket", headers=headers)


def greet(socket) -> dict:
    socket.send_json({"type": "hello", "n": 1, "protocol": PROTOCOL})
    return socket.receive_json()


def test_a_full_server_says_so_and_has_room_again_when_someone_leaves(client, monkeypatch):
    monkeypatch.setattr(module, "MAX_PLAYERS", 2)
    with page(client, 0) as first:
        assert greet(first)["type"] == "over"
        with page(client, 1) as second:
            assert greet(second)["type"] == "over"
            with page(client, 2) as third, pytest.raises(WebSocketDisconnect) as refused:
                greet(third)
            assert (refused.value.code, refused.value.reason) == (
                1008,
                "Too many people are playing right now. Please try again later.",
            )
        with page(client, 2) as third:
            assert greet(third)["type"] == "over"
