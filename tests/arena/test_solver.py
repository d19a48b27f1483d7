"""The agent's contacts: against closed forms, and against PhysX itself.

Figures marked PhysX were measured in PhysX 4.1 (as in SAPIEN 2.2.2) with Unity's settings: a sphere of 100 kg
and infinite inertia, drag 1.6, driven at 50 m/s2; boxes of friction 0.6; 12 + 12 iterations.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena import BACKWARD, FORWARD, IDLE
from arena.action import TICK_S
from arena.geometry.placed import AGENT_RADIUS
from arena.kernel import solver
from arena.kernel.motion import DRAG_FACTOR, DRIVE
from arena.kernel.tables import CONTACT
from arena.taskfile.kind import GRAVITY
from tests.arena import plain_motion
from tests.arena.bullet_bodies import swap
from tests.arena.worlds import advance, agent, item, world_of


@dataclass
class Contact:
    """A contact with z up; see `arena.kernel.tables.CONTACT`."""

    normal: tuple[float, float, float]
    gap: float
    friction: float
    surface_before: tuple[float, float, float] = (0.0, 0.0, 0.0)


class Motion(NamedTuple):
    """Velocities (m/s) during a tick and after it, z up."""

    moving: tuple[float, float, float]
    after: tuple[float, float, float]


def solve(velocity, contacts):
    rows = np.zeros(len(contacts), CONTACT)
    for row, contact in zip(rows, contacts, strict=True):
        row["normal"], row["surface_before"] = swap(contact.normal), swap(contact.surface_before)
        row["gap"], row["friction"] = contact.gap, contact.friction
    motion = np.zeros((4, 3))
    motion[0] = swap(velocity)
    solver.solve(rows, len(rows), AGENT_RADIUS, 0.0, motion)
    return Motion(swap(motion[2].tolist()), swap(motion[0].tolist()))


FALL = GRAVITY * TICK_S
FLOOR = Contact((0.0, 0.0, 1.0), 0.0, 0.6)
FENCE = Contact((-1.0, 0.0, 0.0), 0.0, 0.6)
WALL = Contact((-1.0, 0.0, 0.0), 0.0, 0.6, surface_before=(0.0, 0.0, -FALL))
"""A wall is movable: when the friction axes are chosen gravity has acted on it as well."""


def driven(velocity, heading_deg=None):
    """The velocity that a tick's solve starts from, z up."""
    x, y, z = velocity
    if heading_deg is not None:
        heading = math.radians(heading_deg)
        x, y = x + DRIVE * TICK_S * math.sin(heading), y + DRIVE * TICK_S * math.cos(heading)
    return (x * DRAG_FACTOR, y * DRAG_FACTOR, (z - FALL) * DRAG_FACTOR)


def drive(contacts, heading_deg, ticks, velocity=(0.0, 0.0, 0.0)):
    """Velocities along y after each tick, and the way covered along y."""
    speeds, way = [], 0.0
    for _ in range(ticks):
        motion = solve(driven(velocity, heading_deg), contacts)
        velocity = motion.after
        speeds.append(velocity[1])
        way += motion.moving[1] * TICK_S
    return speeds, way


def world(*items, place="20 0 5", yaw=0.0):
    run = world_of(agent(place, yaw), *items)
    advance(run, IDLE, 15)
    return run


def ended(*items, forward=60, idle=20, **start):
    """Where the agent is after it drove and stood for some ticks."""
    run = world(*items, **start)
    advance(run, FORWARD, forward)
    advance(run, IDLE, idle)
    return run.agents[0].position


def test_on_the_floor_friction_takes_its_share_of_gravity():
    start = driven((0.0, 10.0, 0.0))
    motion = solve(start, [FLOOR])
    assert motion.after == pytest.approx((0, start[1] - 0.6 * FALL * DRAG_FACTOR, 0))
    assert motion.moving == pytest.approx(motion.after)


def test_friction_stops_and_does_not_turn_back():
    assert solve(driven((0.05, 0.03, 0.0)), [FLOOR]).after == pytest.approx((0, 0, 0), abs=1e-6)


_SPEEDS = st.floats(-30.0, 30.0)


@given(
    velocity=st.tuples(_SPEEDS, _SPEEDS, _SPEEDS),
    polar=st.floats(0.0, math.pi),
    around=st.floats(0.0, 2 * math.pi),
    gap=st.floats(-0.5, 0.02),
    friction=st.sampled_from((0.0, 0.3, 0.6, 1.0)),
)
@example(velocity=(0.0, 0.0, -FALL), polar=0.0, around=0.0, gap=0.0, friction=0.6)
def test_contacts_are_solved_as_by_the_plain_rules(velocity, polar, around, gap, friction):
    normal = (math.sin(polar) * math.cos(around), math.sin(polar) * math.sin(around), math.cos(polar))
    contacts = [Contact(normal, gap, friction), FLOOR]
    plain = [plain_motion.Contact(np.array(swap(c.normal)), c.gap, c.friction) for c in contacts]
    for several in (1, 2):
        expected = plain_motion.solve(np.array([*swap(velocity), 0.0, 0.0, 0.0]), plain[:several])
        motion = solve(velocity, contacts[:several])
        assert [*motion.moving, *motion.after] == pytest.approx(
            [*swap(expected[0][:3]), *swap(expected[1][:3])], abs=1e-7
        )


def test_a_gap_is_closed_by_four_fifths_and_an_overlap_parted_without_leaving_a_speed():
    closing = solve((13.0, 0.0, 0.0), [Contact((-1.0, 0.0, 0.0), 0.01, 0.6)])
    assert closing.after[0] == closing.moving[0] == pytest.approx(0.8 * 0.01 / TICK_S)
    parting = solve((13.0, 0.0, 0.0), [Contact((-1.0, 0.0, 0.0), -0.1, 0.6)])
    assert parting.moving[0] == pytest.approx(-0.8 * 0.1 / TICK_S)
    assert parting.after[0] == pytest.approx(0, abs=1e-9)
    fastest = solve((0.0, 0.0, 0.0), [Contact((-1.0, 0.0, 0.0), -0.45, 0.6)])
    assert fastest.moving[0] == pytest.approx(-10)


def test_along_a_fence_both_friction_axes_of_both_contacts_saturate():
    # Each contact's second axis loads the other: N_fence = P + 0.6 N_floor, N_floor = W + 0.6 N_fence.
    pressed, weight = DRIVE * TICK_S * math.sin(math.radians(18)) * DRAG_FACTOR, FALL * DRAG_FACTOR
    fence = (pressed + 0.6 * weight) / (1 - 0.6**2)
    loss = 0.6 * (fence + weight + 0.6 * fence)
    start = driven((0.0, 20.0, 0.0), 18)
    assert start[1] - solve(start, [FLOOR, FENCE]).after[1] == pytest.approx(loss, rel=0.05)


def test_a_fence_slows_as_in_physx():
    speeds, _ = drive([FLOOR, FENCE], 18, 4, (0.0, 11.0, 0.0))
    assert speeds == pytest.approx([10.843, 10.691, 10.544, 10.402], abs=0.001)
    speeds, _ = drive([FLOOR, FENCE], 162, 9)
    assert (speeds[0], speeds[-1]) == pytest.approx((-0.295, -1.937), abs=0.001)


def test_a_wall_that_can_move_slows_less_than_a_fence_as_in_physx():
    speeds, way = drive([WALL, FLOOR], 162, 9)
    assert (speeds[0], speeds[-1]) == pytest.approx((-0.602, -4.906), abs=0.003)
    assert way == pytest.approx(-0.5003, abs=0.001)


@pytest.mark.parametrize(
    ("heading", "end"), [(5, (39.5, 30.23)), (20, (39.5, 19.74)), (45, (39.5, 11.69)), (70, (39.5, 10.61))]
)
def test_along_the_fence_the_agent_goes_as_far_as_in_physx(heading, end):
    assert ended(place="38 0 10", yaw=heading) == pytest.approx((end[0], 0.49, end[1]), abs=0.02)


@pytest.mark.parametrize(("heading", "end"), [(60, (23.0, 11.75)), (95, (23.0, 9.72)), (120, (23.0, 8.25))])
def test_a_wall_hit_within_the_friction_cone_holds_as_in_physx(heading, end):
    wall = item("Wall", "24 0 11", sizes="1 3 8", rotations="0")
    assert ended(wall, place="20 0 10", yaw=heading)[::2] == pytest.approx(end, abs=0.01)


@pytest.mark.parametrize(
    ("kind", "place", "size", "yaw", "ticks", "end"),
    [
        ("LightBlock", "20.6 0 14", "2 2 2", 0, 30, 17.79),
        ("HeavyBlock", "20.4 0 14", "2 2 2", 30, 30, 17.73),
        ("GoodGoal", "20.2 0 13", "1 1 1", 0, 15, 12.83),
    ],
)
def test_what_is_light_slows_the_agent_as_in_physx(kind, place, size, yaw, ticks, end):
    thing = item(kind, place, sizes=size, rotations=str(yaw))
    assert ended(thing, place="20 0 10", forward=ticks, idle=30)[::2] == pytest.approx((20, end), abs=0.02)


def test_the_agent_passes_on_a_side_push_to_a_block():
    # Friction between agent and block is solved together with the block's floor contact: it is dragged along.
    run = world(item("HeavyBlock", "20.9 0 14", sizes="2 2 2", rotations="0"), place="19.5 0 12", yaw=18)
    advance(run, FORWARD, 20)
    block = run.scene().positions[0]
    assert block[0] > 20.95
    assert block[2] > 14.5


def test_backing_off_a_wall_is_free():
    run = world(item("Wall", "20 0 8", sizes="8 3 1", rotations="0"), place="20 0 6.99")
    advance(run, FORWARD, 10)
    advance(run, BACKWARD, 9)
    assert run.agents[0].position[2] == pytest.approx(7.0 - 0.707, abs=0.02)
