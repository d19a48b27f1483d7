"""Simulated people in a study of several suites, whose server is killed while they play."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from signal import SIGKILL

import httpx
import pytest
from sqlalchemy import func, select
from websockets.exceptions import WebSocketException

from people.simulation.simulate import Journey, SimulatedParticipant
from people.simulation.visitor import TIMEOUT_S
from people.store import Store
from people.store.export import export
from people.store.tables import Action, Reply, SuiteEpisode, Trial
from people.study.progress import progress_of
from tests.people.study.server import StudyServer, planned

BLOCKS = """\
  - {name: blickets, suite: est, tasks: [est-00001], limit_minutes: 30}
  - {name: doors, suite: laboratory, tasks: [11-01-01, 13-01-01], order: random}
  - {name: driving, tasks: [11-04-01], limit_s: 3}
"""
STUDY = """\
name: survival
title: Several laboratories
consent: {{version: "1", text: You may stop at any time.}}
participants: {{from: link, id: PROLIFIC_PID, unsigned: true}}
practice: {{suite: laboratory, tasks: [12-01-01], tries: 1}}
block_order: latin-square
test:
{blocks}
questionnaires:
  - {{name: mood, when: after, title: You, items: [{{id: tired, type: likert, ask: Tired?, points: 5}}]}}
"""


class Reloading(httpx.HTTPTransport):
    """A person who tries again until the server responds."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        while True:
            try:
                response = super().handle_request(request)
                response.read()
                return response
            except httpx.TransportError:
                time.sleep(0.2)


class Persistent(SimulatedParticipant):
    """Comes back to a game whose connection was lost."""

    def _play(self, visitor) -> None:
        while True:
            try:
                return super()._play(visitor)
            except (WebSocketException, OSError):
                time.sleep(0.2)


def client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, headers={"origin": url}, timeout=TIMEOUT_S, transport=Reloading())


def rows(store: Store) -> int:
    """Number of stored steps and replies."""
    with store.database.reading() as session:
        return sum(session.scalars(select(func.count()).select_from(each)).one() for each in (Action, Reply))


def survived(folder: Path, blocks: str, people: int, kills: tuple[int, ...], at_once: int) -> list[Journey]:
    """What people did in a study whose server is killed each time so many more rows are stored."""
    text = STUDY.format(blocks=blocks)
    plan = planned(folder, text)
    server = StudyServer(folder, text)
    with Store(str(folder / "study.db")) as store, ThreadPoolExecutor(at_once) as threads:

        def study_of(token: str):
            return plan.of(progress_of(store, store.participant(token)).condition).study

        def play(number: int) -> Journey:
            return Persistent(study_of, server.url, str(number), 3600).run(f"/?PROLIFIC_PID=p{number}")

        journeys = [threads.submit(play, number) for number in range(people)]
        for more in kills:
            aim = rows(store) + more
            while rows(store) < aim:
                time.sleep(0.05)
            assert not all(each.done() for each in journeys), "nobody was left to be interrupted"
            server.stop(SIGKILL)
            server = StudyServer(folder, text, port=server.port)
        done = [each.result() for each in journeys]
    server.stop()
    return done


def lost(folder: Path, journeys: list[Journey]) -> int:
    """Rows and ends that people saw, or that trials say they have, and that are not stored."""
    with Store(str(folder / "study.db"), create=False) as store, store.database.reading() as session:

        def stored(table, column) -> dict[int, tuple[int, int]]:
            of_trial = select(table.trial_id, func.count(), func.max(column)).group_by(table.trial_id)
            return {trial: (count, last) for trial, count, last in session.execute(of_trial)}

        actions, replies = stored(Action, Action.step), stored(Reply, Reply.turn)
        turns = dict(session.execute(select(SuiteEpisode.trial_id, SuiteEpisode.turns)).all())
        missing = 0
        for trial in session.scalars(select(Trial)):
            expected = turns.get(trial.id, trial.steps_played)
            count, last = (replies if trial.mode == "form" else actions).get(trial.id, (0, -1))
            missing += trial.finished_at is None or (count, last) != (expected, expected - 1)
        for shown, end in (task for journey in journeys for task in journey.tasks):
            trial = session.get(Trial, shown["trial"])
            seen = shown["known"] + len(shown["turns"]) - 1 if "known" in shown else end["steps"]
            missing += seen != (turns[trial.id] if "known" in shown else trial.steps_played)
    return missing


@pytest.mark.slow
def test_a_killed_server_loses_nothing_and_every_episode_is_played_again(tmp_path, command, monkeypatch):
    monkeypatch.setattr("people.simulation.simulate.client_at", client)
    people = 4
    journeys = survived(tmp_path, BLOCKS, people, kills=(10, 30), at_once=4)
    assert [journey.ending for journey in journeys] == ["completed"] * people
    assert [len(journey.tasks) for journey in journeys] == [5] * people
    assert lost(tmp_path, journeys) == 0
    with Store(str(tmp_path / "study.db")) as store:
        done = export(store, "survival", tmp_path / "data")
    assert done.recordings == 5 * people
    said = command("verify", tmp_path / "data", "--jobs", 2).succeeded()
    assert f"{5 * people} of {5 * people} episodes: agrees" in said
    # A lost row would have been found.
    with Store(str(tmp_path / "study.db")) as store, store.database.writing() as session:
        for table in (Action, Reply):
            session.delete(session.scalars(select(table).limit(1)).one())
    assert lost(tmp_path, journeys) == 2
