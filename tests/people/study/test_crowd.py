"""Many people: signing up stays fast, a code has one owner, and one address cannot flood the server."""

import time
import timeit
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import count

import httpx
import pytest
from sqlalchemy import insert
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from people.play.app import SIGN_UPS_PER_MINUTE
from people.play.security import RateLimit
from people.store import Note, Store, Trial
from people.store.tables import Participant
from people.study import flow
from people.study.progress import ORDER
from people.study.server import Overview
from tests.people.study.server import TINY, planned
from tests.people.study.test_flow import CODES, FREE
from tests.people.study.walk import client_of


@pytest.fixture
def plan(tmp_path):
    return planned(tmp_path)


def populate(store: Store, people: int) -> None:
    """Participants with 4 trials and 12 notes each."""
    ids = range(1, people + 1)
    person = {"study": "tiny", "link": {}, "created_at": 1.0}
    trial = {"trial": 0, "spec_sha256": "", "seed": 0, "animal_ai": "3.1.3", "mode": "keys", "begun_at": 1.0}
    with store.database.writing() as session:
        rows = [{**person, "id": each, "code": f"P{each}", "token": f"t{each}"} for each in ids]
        session.execute(insert(Participant), rows)
        trials = [(each, position) for each in ids for position in range(4)]
        values = [{**trial, "participant_id": a, "position": b, "task_id": str(b)} for a, b in trials]
        session.execute(insert(Trial), values)
        order = {"tasks": ["01-02-01", "01-06-02"], "row": 1}
        for kind, data in ((ORDER, order), *[("pause", {"trial": 1})] * 11):
            note = {"kind": kind, "data": data, "at": 1.0}
            notes = [{**note, "participant_id": each, "key": f"{kind}{each}{time.time_ns()}"} for each in ids]
            session.execute(insert(Note), notes)


def fastest(call) -> float:
    return min(timeit.repeat(call, number=1, repeat=5))


def test_signing_up_and_the_overview_are_fast_with_a_thousand_participants(tmp_path, plan):
    def took(people: int) -> tuple[float, float]:
        with Store(str(tmp_path / f"{people}.db")) as store:
            populate(store, people)
            overview, numbers = Overview(plan), count()
            assert len(overview.rows(store)) == people
            enrolled = fastest(lambda: flow.enrol(plan, store, f"N{next(numbers)}", {}))
            return enrolled, fastest(lambda: overview.rows(store))

    few, many = took(10), took(1000)
    # Before, 50 and 100 times as long.
    assert many[0] < 8 * few[0]
    assert many[1] < 25 * few[1]


def test_the_overview_is_up_to_date(store, plan):
    populate(store, 3)
    overview = Overview(plan)

    def shown() -> dict:
        rows = {row.participant.code: asdict(row) for row in overview.rows(store)}
        assert rows == {row.participant.code: asdict(row) for row in Overview(plan).rows(store)}
        return rows

    assert shown()["P1"]["done"] == 0
    new = flow.enrol(plan, store, "new", {})
    store.answer(1, "background", "age", "9")
    assert shown()["P1"]["last_at"] == store.answers(1)[0].at
    with store.database.writing() as session:
        session.get(Trial, 5).finished_at = time.time()
    assert shown()["P2"]["done"] == 1
    store.note(new.id, "withdrawn", {"stage": "x"})
    assert shown()["new"]["stage"] == "withdrawn"
    store.delete_participant("tiny", "P1")
    assert shown().keys() == {"P2", "P3", "new"}


@pytest.mark.parametrize("text", [TINY, CODES, FREE], ids=["link", "codes", "free"])
def test_of_eight_who_sign_up_with_the_same_code_one_gets_in(app, text):
    study, store = app(text)
    link = {"PROLIFIC_PID": "A1", "answer": "agree"} if text is TINY else None
    address, form = ("/consent", link) if link else ("/id", {"code": "A1", "agreed": "3"})
    visitors = [client_of(study) for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda visitor: visitor.post(address, data=form), visitors))
    refused = [answer for answer in answers if answer.status_code != 303]
    assert len(refused) == 7
    assert all("This code is already in use" in answer.text for answer in refused)
    (person,) = store.participants("tiny")
    assert sum(note.kind == ORDER for note in store.notes(person.id)) == 1


def test_one_address_cannot_sign_up_without_end(server):
    with server.visitor() as visitor:

        def sign_up(address: str) -> httpx.Response:
            return visitor.post("/consent", data={"answer": "agree"}, headers={"x-forwarded-for": address})

        one = [sign_up("192.0.2.7") for _ in range(SIGN_UPS_PER_MINUTE + 20)]
        limited = [answer for answer in one if answer.status_code == 429]
        assert 0 < len(limited) <= 20
        assert "Too many requests came from your network" in limited[-1].text
        assert int(limited[-1].headers["retry-after"]) >= 1
        # The link in these requests is incomplete.
        assert {sign_up(address).status_code for address in ("192.0.2.8", "127.0.0.1")} == {400}
        # All of a /64 is one computer.
        same = [sign_up(f"2001:db8::{number:x}") for number in range(SIGN_UPS_PER_MINUTE + 20)]
        assert same[-1].status_code == 429


def test_addresses_of_ipv4_are_apart_on_a_socket_for_both_and_this_machine_is_exempt():
    limit = RateLimit(1)

    def check(address: str) -> None:
        limit.check(HTTPConnection({"type": "http", "headers": [], "client": (address, 1)}))

    for other in ("::ffff:192.0.2.1", "::ffff:192.0.2.2", *["::ffff:127.0.0.1", "127.0.0.1", "::1"] * 3):
        check(other)
    for same in ("::ffff:192.0.2.1", "192.0.2.1"):
        with pytest.raises(HTTPException):
            check(same)
