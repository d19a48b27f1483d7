"""A whole study played by simulated participants on a real server in this process."""

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial

from arena.errors import EvaluationError
from arena.processes import cores
from people.play.players import Players
from people.serving.serve import Server, bound, url_of
from people.simulation.participant import Journey, SimulatedParticipant
from people.store import Store
from people.store.participation import WITHDRAWN
from people.study.app import create_study_app
from people.study.config import Study
from people.study.links.identity import preview_signature, signing_key
from people.study.plan import Plan
from people.study.progress import progress_of
from people.study.resume import start_or_resume
from people.study.task_source import StudyTaskSource

SPEED = 8.0
"""Steps are taken as many times faster than people play; more would leave no time for pictures."""

START_S = 60.0
"""A server that does not answer by then has failed."""

HOST = "127.0.0.1"


def simulate(
    plan: Plan,
    store: Store,
    participants: int,
    *,
    limit_s: float = 1800.0,
    workers: int | None = None,
    report: Callable[[str], None] = print,
) -> list[Journey]:
    """Let a number of simulated participants go through a study, several concurrently.

    Their data are marked as tests. `report` gets a line about each. Raises EvaluationError if a page refuses
    a participant, and InvalidRequest if the study has changed while real participants are in progress.
    """
    address = f"/preview/{preview_signature(signing_key(store, plan.study.name))}"

    def play(number: int) -> Journey:
        person = SimulatedParticipant(
            partial(_study_of, plan, store), url, f"{plan.study.seed} {number}", limit_s
        )
        journey = person.run(address)
        report(_described(store, journey))
        return journey

    count = workers or cores()
    with serving(plan, store, count) as url, ThreadPoolExecutor(count) as threads:
        return list(threads.map(play, range(1, participants + 1)))


def _study_of(plan: Plan, store: Store, token: str) -> Study:
    """The study in the condition of the participant with this token."""
    person = store.participant(token)
    return plan.of(progress_of(store, person).condition if person else None).study


@contextmanager
def serving(plan: Plan, store: Store, workers: int) -> Iterator[str]:
    """Serve a study from a thread of this process, at `SPEED`; yields its address without a final slash.

    Raises EvaluationError if the server does not start, and InvalidRequest as `simulate`.
    """
    start_or_resume(store, plan)
    scripts = plan.study.mode == "scripts"
    players = Players(store, StudyTaskSource(plan), workers=workers, scripts=scripts, speed=SPEED)
    listener = bound(HOST, 0)
    app = create_study_app(plan, players, store, secrets.token_urlsafe())
    server = Server(app)
    thread = threading.Thread(target=server.run, args=([listener],), name="server")
    with closing(players.recorder):
        thread.start()
        try:
            end = time.monotonic() + START_S
            while not server.started:
                if not thread.is_alive() or time.monotonic() > end:
                    raise EvaluationError("the server of the simulation did not start")
                time.sleep(0.02)
            yield url_of(HOST, listener).rstrip("/")
        finally:
            server.should_exit = True
            thread.join()


def _described(store: Store, journey: Journey) -> str:
    """What a participant did, in a line."""
    person = store.participant(journey.token)
    assert person is not None
    trials = store.trials(person.id)
    minutes = sum(trial.seconds_played or 0 for trial in trials) / 60
    passed = sum(bool(trial.passed) for trial in trials)
    ended = progress_of(store, person).ending
    ending = ended.name if ended and ended.stage != WITHDRAWN else journey.ending
    return (
        f"{person.code}: {ending}; {len(journey.stages)} pages, {len(journey.answers)} answers, "
        f"{len(trials)} trials of which {passed} passed, {minutes:.1f} minutes of play"
    )
