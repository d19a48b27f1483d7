"""What the agent touches among things at rest, beside what Bullet says of the same places."""

import math

import numpy as np
import pytest

from arena import BACKWARD, FORWARD, TURN_RIGHT, Action, Move, Rotate
from arena.geometry.placed import AGENT_RADIUS
from arena.kernel.contacts import find_contacts
from arena.kernel.tables import CONTACT, MOST_CONTACTS
from tests.arena.bullet_bodies import BulletBodies
from tests.arena.worlds import agent, episode, item, play

SOLID = [
    item("Wall", "8 0 8", "30 0 12", "12 0 33", rotations="0, 30, 45", sizes="4 2 1;1 3 6;8 1 8"),
    item("Ramp", "20 0 30", "32 0 32", rotations="0, 70", sizes="4 2 6;3 1 8"),
    item("CylinderTunnel", "8 0 22", "33 0 22", rotations="20, 0", sizes="5 5 6;3 4 8"),
    item("LightBlock", "20 0 20", "24 0 6", rotations="10, 50", sizes="2 2 2;1 3 1"),
    item("UBlock", "14 0 6", rotations="15", sizes="2 1 8"),
    item("GoodGoalMulti", "27 0 27", sizes="2 2 2"),
]
FIRM = SOLID[:3]
REACH = 0.019
"""Bullet's own reach, metres, a little less than the kernel's."""


def rested(*items, **options):
    """An episode whose agent has waited until nothing moved any more."""
    run = episode(agent("37 0 3"), *items, t=0, **options)
    play(run, steps=60)
    assert run._stage.world.is_at_rest
    return run


def contacts(world, at):
    """Gap and normal of each contact of the agent's ball at a place; None if it touches a movable."""
    found = np.zeros(MOST_CONTACTS, CONTACT)
    count = find_contacts(world.things.parts, -1, AGENT_RADIUS, *at, found)
    if count < 0:
        return None
    return [(contact["gap"], contact["normal"].copy()) for contact in found[:count]]


def beside(bodies, rng):
    """A place at which the agent's ball all but touches something, found by walking towards it."""
    at = np.array([rng.uniform(1, 39), rng.uniform(0.6, 3.0), rng.uniform(1, 39)])
    bearing = rng.uniform(0, 2 * math.pi)
    way = np.array([math.sin(bearing), rng.uniform(-0.3, 0.0), math.cos(bearing)])
    for _ in range(4000):
        if bodies.around(at, REACH):
            return at
        at = at + 0.012 * way
    return None


@pytest.mark.parametrize("seed", range(6))
def test_contacts_with_what_is_firm_are_those_that_bullet_finds(seed):
    rng = np.random.default_rng(seed)
    world = rested(*FIRM, item("Wall", "-1 0 -1", "-1 2 -1", sizes="3 1 2;1 1 1"), seed=seed)._stage.world
    bodies, checked = BulletBodies(world), 0
    while checked < 8:
        at = beside(bodies, rng)
        if at is None:
            continue
        expected = bodies.around(at, REACH)
        if any(gap < -0.001 for gap, _ in expected):
            continue
        firm = contacts(world, at)
        checked += 1
        # What lies on other things may give way; then there is nothing to compare.
        for gap, normal in expected if firm else ():
            # A tunnel is touched in several facets, of which Bullet names one.
            alike = [own for own, axis in firm if np.dot(axis, normal) > 0.97 and abs(own - gap) < 2e-3]
            assert alike, (at, gap, normal, firm)


@pytest.mark.parametrize("thing", [3, 4], ids=["block", "bars"])
def test_the_agent_alone_does_not_move_what_can_give_way(thing):
    world = rested(SOLID[thing])._stage.world
    bodies, (x, _, z) = BulletBodies(world), world.things.position(0)
    rng, counted = np.random.default_rng(thing), {True: 0, False: 0}
    for _ in range(400):
        at = (x + rng.uniform(-3, 3), rng.uniform(0.6, 1.5), z + rng.uniform(-3, 3))
        touched = bool(bodies.around(at, 0.017))
        if touched == bool(bodies.around(at, 0.023)):
            counted[touched] += 1
            assert (contacts(world, at) is None) is touched
    assert min(counted.values()) > 20


DRIVES = {
    "into a wall": (agent("8 0 3"), FIRM[0], [FORWARD] * 60),
    "along a wall": (agent("6.9 0 3", 15), FIRM[0], [FORWARD] * 80),
    "along the fence": (
        agent("1 0 20", 300),
        FIRM[0],
        [FORWARD] * 40 + [Action(Move.FORWARD, Rotate.RIGHT)] * 9,
    ),
    "through a tunnel": (agent("8 0 15", 20), FIRM[2], [FORWARD] * 60),
    "into a corner": (agent("3 0 3", 225), FIRM[0], [FORWARD] * 80 + [BACKWARD] * 10 + [TURN_RIGHT] * 5),
}


@pytest.mark.parametrize("name", DRIVES)
def test_the_agent_moves_as_it_does_among_bodies_that_push(name):
    start, things, actions = DRIVES[name]
    ways = []
    for together in (False, True):
        run = episode(start, things, t=0)
        play(run, steps=40)
        static_steps = 0
        for action in actions:
            if together:
                run._stage.world.things.still = 0
            run.step(action)
            static_steps += run._stage.world.is_at_rest
        assert (static_steps > len(actions) / 3) is not together
        ways.append(run.position)
    assert ways[0] == pytest.approx(ways[1], abs=0.03)


def test_a_fast_agent_tilts_what_a_slow_one_leans_on():
    thin = item("Wall", "20 0 20", rotations="0", sizes="0.3 3 0.1")
    tilts = []
    for start in ("20 0 19.3", "20 0 2"):
        run = episode(agent(start), thin, t=0)
        play(run, steps=40)
        play(run, FORWARD, 60)
        tilts.append(run.scene().rotations[0, 1, 1])
    assert tilts[0] > 0.9999
    assert tilts[1] < 0.99


def test_one_that_stands_on_a_platform_is_at_rest():
    run = episode(agent("20 2 20"), item("Wall", "20 0 20", rotations="0", sizes="6 1 6"), t=0)
    play(run, steps=80)
    assert run.position[1] == pytest.approx(1.49, abs=0.02)
    assert run._stage.world.is_at_rest
    play(run, FORWARD, 40)
    assert run.position[1] == pytest.approx(0.49, abs=0.02)
