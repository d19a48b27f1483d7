"""What holds in every episode: the books balance, and the same start gives the same bits."""

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arena import ACTIONS, IDLE, Action, ArenaSpec, Episode, Event, EventKind, LayoutError, Outcome, Recording
from arena.action import TICK_S
from arena.geometry.placed import Placed
from arena.recording import packed
from arena.rules import Account, Goals
from arena.taskfile.kind import Body, Ends, Kind
from arena.taskfile.versions import Version
from tests.arena.strategies import OLD_KINDS as KINDS
from tests.arena.strategies import arenas, crammed, drives, examples
from tests.command import printed_by

ROOT = Path(__file__).parents[2]
ZONES = tuple(kind for kind in KINDS.values() if kind.body is Body.ZONE)
LASTING = tuple(kind.name for kind in ZONES if kind.ends is Ends.NEVER and not kind.laboratory)
"""Zones that cost something in every tick of a stay: their events do not tell the sum."""

COUNTABLE = tuple(name for name in KINDS if name not in LASTING and not name.startswith("Spawner"))
GOALS = tuple(kind for kind in KINDS.values() if kind.is_goal)


def start(spec: ArenaSpec, seed: int) -> Episode:
    try:
        return Episode(spec, task_id="test", seed=seed)
    except LayoutError:
        assume(False)
        raise


class Books:
    """Health, step reward and total, kept a second time in the single precision of the original."""

    def __init__(self, time_limit: int) -> None:
        self.clock = np.float32(-1) / np.float32(5 * time_limit) if time_limit else None
        self.health = np.float32(100)
        self.reward = np.float32(0)
        self.total = 0.0
        self.eaten = 0

    def add(self, amount: float) -> None:
        change = np.float32(amount)
        self.reward = np.float32(self.reward + change)
        self.health = np.float32(np.clip(self.health + np.float32(100) * change, 0, 100))

    def add_clock(self) -> bool:
        """One tick of the clock; whether health ran out."""
        if self.clock is not None:
            self.add(self.clock)
        return self.clock is not None and bool(self.health <= 0)

    def touch(self, kind: Kind, things: tuple[Placed, ...]) -> bool:
        """One contact; whether it ends the episode."""
        if kind.name in LASTING:
            self.add(min(-0.001 if self.clock is None else 10 * float(self.clock), -0.001))
        else:
            self.add(kind.reward * things[0].size[0] if kind.is_goal else kind.reward)
        self.eaten += kind.ends is Ends.LAST
        last = kind.is_goal and self.eaten == sum(placed.kind.is_good_goal for placed in things)
        return kind.ends is Ends.ALWAYS or last or bool(self.health <= 0)

    def close_step(self) -> float:
        reward, self.reward = float(self.reward), np.float32(0)
        self.total += reward
        return reward


def expected_outcome(events: tuple[Event, ...], eaten: int, placed: int, health: float) -> Outcome | None:
    """What a step's last event and the health make of an episode, given the balls eaten and placed so far.

    As in the original, a ball that was blocked counts when it is eaten, not when it is placed.
    """
    ends = KINDS[events[-1].name].ends if events else Ends.NEVER
    if ends is Ends.ALWAYS or (ends is Ends.LAST and eaten == placed):
        kind = events[-1].kind
        return Outcome.GOAL if kind is EventKind.GOOD_GOAL else Outcome(kind.value)
    return Outcome.HEALTH if health <= 0 else None


@examples(0.4)
@given(crammed(COUNTABLE) | arenas(COUNTABLE), st.integers(0, 99), drives())
def test_the_books_balance(spec, seed, actions):
    with start(spec, seed) as episode:
        books = Books(spec.time_limit)
        placed = sum(thing.kind.is_good_goal and not thing.blocked for thing in episode.layout.things)
        for action in actions:
            first = episode.ticks + 1
            result = episode.step(action)
            events = list(result.events)
            for tick in range(first, episode.ticks + 1):
                if tick * TICK_S > episode.layout.agent.frozen_s:
                    books.add_clock()
                while events and events[0].tick == tick:
                    books.add(events.pop(0).reward)
            assert not events
            assert result.reward == books.close_step()
            assert episode.total_reward == books.total
            assert episode.health == books.health
            books.eaten += sum(KINDS[event.name].ends is Ends.LAST for event in result.events)
            expected = expected_outcome(result.events, books.eaten, placed, episode.health)
            assert episode.outcome is expected
            if result.done:
                break
        assert episode.done is (episode.outcome is not None)
        episode.stop()
        with pytest.raises(RuntimeError, match="over"):
            episode.step(IDLE)


@examples(0.6)
@given(
    st.integers(0, 400),
    st.lists(st.sampled_from(GOALS + ZONES), min_size=1, max_size=5),
    st.lists(st.sets(st.integers(0, 4)), max_size=60),
)
def test_health_follows_its_law_whatever_is_touched(time_limit, kinds, contacts):
    things = tuple(Placed(kind, (0.999,) * 3, (1.0, 0.5, 1.0), 0.0, None) for kind in kinds)
    account, books = Account(time_limit, Goals(things, Version.V3)), Books(time_limit)
    there = set(range(len(things)))
    for tick, touched in enumerate(contacts, 1):
        here = sorted(touched & there)
        goals = [index for index in here if kinds[index].is_goal]
        zones = [index for index in here if kinds[index].body is Body.ZONE]
        account.decay()
        over = books.add_clock()
        for index in goals + zones:
            over = over or books.touch(kinds[index], things)
            # A ball that ends nothing is gone.
            there -= {index} & set(goals)
        if not account.done:
            account.apply_contacts(tick, goals, zones)
        assert account.done is over
        assert account.health == books.health
        assert account.take_step_reward() == books.close_step()
        if over:
            break


def bits(episode: Episode, actions: list[Action]) -> list[str]:
    """A digest of everything that can be seen after each step."""
    digests = []
    for action in actions:
        if episode.done:
            break
        result = episode.step(action)
        scene = episode.scene()
        numbers = [*episode.position, *episode.velocity, episode.yaw, episode.health, result.reward]
        seen = [
            np.array(numbers).tobytes(),
            scene.positions.tobytes(),
            scene.rotations.tobytes(),
            scene.visible.tobytes(),
            repr([result.events, episode.outcome, episode.lights_on, episode.total_reward.hex()]).encode(),
        ]
        digests.append(sha256(b"".join(seen)).hexdigest())
    return digests


@examples(0.1)
@given(arenas() | crammed(), st.integers(-(2**40), 2**40), drives())
def test_a_recording_replays_to_the_same_bits(spec, seed, actions):
    with start(spec, seed) as first:
        seen = bits(first, actions)
        kept = Recording.model_validate_json(first.recording().model_dump_json())
    with Episode(spec, task_id=kept.task_id, seed=kept.seed, trial=kept.trial) as again:
        assert bits(again, kept.unpacked()) == seen
        assert again.recording() == kept
    assert packed(kept.unpacked()) == kept.actions


@examples(0.1)
@given(arenas() | crammed(), arenas() | crammed(), st.integers(0, 99), drives(30))
def test_another_episode_in_the_process_changes_nothing(spec, other, seed, actions):
    with start(spec, seed) as alone:
        seen = bits(alone, actions)
    with start(other, seed) as neighbour, start(spec, seed) as episode:
        together = []
        for action in actions:
            together += bits(episode, [action])
            bits(neighbour, [ACTIONS[4], action])
        assert together == seen


@pytest.mark.e2e
@examples(0.01)
@given(st.lists(st.tuples(arenas() | crammed(), st.integers(0, 99), drives(30)), min_size=5, max_size=5))
def test_another_process_gives_the_same_bits(cases):
    told = json.dumps([[spec.model_dump_json(), seed, packed(actions)] for spec, seed, actions in cases])
    program = (
        "import sys, json; from tests.arena.test_episode_properties import played; played(sys.stdin.read())"
    )
    for hash_seed in ("1", "2"):
        output = printed_by(program, told=told, PYTHONHASHSEED=hash_seed, PYTHONPATH=str(ROOT))
        assert json.loads(output) == all_bits(told)


def all_bits(told: str) -> list[list[str]]:
    """The bits of each case; those without a place for the agent have none."""
    found = []
    for spec, seed, runs in json.loads(told):
        actions = [ACTIONS[index] for index, count in runs for _ in range(count)]
        try:
            with Episode(ArenaSpec.model_validate_json(spec), task_id="test", seed=seed) as episode:
                found.append(bits(episode, actions))
        except LayoutError:
            found.append([])
    return found


def played(told: str) -> None:
    """What the other process runs."""
    print(json.dumps(all_bits(told)))
