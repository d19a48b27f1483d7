"""Level 8, object permanence and working memory: vanished things still exist.

Compartments lie below a platform, each with a screen; the agent cannot leave the one it drops into. The
platform lies along the fence of low z, and the compartments side by side from its edge to the fence of high
z. The walls between them are low in front of the screens, so that the agent can see everything, and as high
as the screens beside and behind these. Each screen leaves a gap at one side.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from testbed.blueprints.blueprint import BLUE, Blueprint, Object, Point, Rng, task
from testbed.blueprints.choices import PLATFORM, platform
from testbed.blueprints.parts import across, agent, along, ball, ramp, wall
from testbed.blueprints.placement import any_orientation
from testbed.blueprints.places import THICK, XZ, even, near, side

PERMANENCE = ("object permanence", "working memory")

LOW, HIGH = 0.6, 2.6
"""Height of the walls between compartments, and of screens, metres."""

STALL_SLOT = 1.9
"""Gap at the side of a stall's screen, metres."""


class Compartments(NamedTuple):
    """Compartments with screens below a platform.

    `lefts` are the x of the left edges and `width` that of each compartment; `gaps` is the side (-1 left, 1
    right) of each screen's gap; `deep` is the z of the platform's edge and `screen` that of the screens.
    """

    lefts: tuple[float, ...]
    width: float
    gaps: tuple[int, ...]
    deep: float
    screen: float

    def middle(self, number: int) -> float:
        """Return the x of a compartment's middle."""
        return self.lefts[number] + self.width / 2

    def with_gap(self, number: int, gap: int) -> "Compartments":
        """Return compartments with one screen's gap at a given side."""
        return self._replace(gaps=(*self.gaps[:number], gap, *self.gaps[number + 1 :]))

    def hidden(self, rng: Rng, number: int) -> XZ:
        """Return a place behind a screen, away from the gap."""
        x = self.middle(number) - self.gaps[number] * near(rng, 0.27 * self.width - 0.5, 0.5)
        return x, near(rng, self.screen + 1.6, 0.3)

    def objects(self, rng: Rng) -> tuple[Object, ...]:
        """Return the apparatus and the agent, which faces it."""
        right = self.lefts[-1] + self.width
        span, middle = right - self.lefts[0], (self.lefts[0] + right) / 2
        start = agent(middle + near(rng, 0, 1.5), self.deep - near(rng, 3, 0.8), near(rng, 0, 8), PLATFORM)
        # High walls begin so far in front of the screens that no gap of a neighbour is in view.
        low = self.screen - 5
        outer = (self.lefts[0] - THICK / 2, right + THICK / 2)
        return (
            start,
            platform(middle, span, self.deep),
            *(
                part
                for x in self.lefts[1:]
                for part in (along(x, self.deep, low, LOW), along(x, low, 40, HIGH))
            ),
            *(along(x, 0, 40, HIGH) for x in outer if THICK < x < 40 - THICK),
            *map(self._screen, range(len(self.gaps))),
        )

    def _screen(self, number: int) -> Object:
        last = len(self.gaps) - 1
        left = self.lefts[number] + (THICK / 2 if number else 0.0)
        right = self.lefts[number] + self.width - (THICK / 2 if number < last else 0.0)
        left, right = (left + STALL_SLOT, right) if self.gaps[number] < 0 else (left, right - STALL_SLOT)
        return across(self.screen, left, right, HIGH)


def compartments(rng: Rng, count: int, behind: float = 5.0, gap: int = 0) -> Compartments:
    """Compartments with `behind` metres behind the screens. `gap` is the side of all gaps, 0 for random."""
    width = even(min(40 / count, near(rng, 11 if count == 2 else 8.6, 1)))
    spare = 40 - count * width
    first = 0.0 if spare < 1.2 else even(near(rng, spare / 2, spare / 2 - 0.6))
    gaps = tuple(gap or side(rng) for _ in range(count))
    lefts = tuple(first + number * width for number in range(count))
    return Compartments(lefts, width, gaps, even(near(rng, 18, 1.5)), even(40 - behind))


PASSED_SCREEN = 2.6
"""Height of screens, metres. The agent's eye on a platform is at 1.5."""

FENCE, LOWER = 0.8, 0.6
"""Heights, metres, of walls that leave the view free. The agent looks over the first; the others must not
hide a ball on the floor. At full speed the agent hops over walls lower than its centre."""

SEEN_GAP = 2.1
"""Width at a screen's side that shows a passing ball, metres."""


def rolling_behind(rng: Rng, screens: int, lights: tuple[int, ...] = ()) -> Blueprint:
    """A reward rolls behind a left or right screen (Piaget's stage 4).

    It is seen from a walkway. Once the agent leaves the walkway on one side, a wall keeps it there. With
    `lights` they go out after the ball has vanished.
    """
    middle, long, sign = near(rng, 20, 2), even(near(rng, 10.5, 1)), side(rng)
    front = near(rng, 28, 0.3)
    objects = [
        agent(middle, long - near(rng, 3, 0.8), near(rng, 0, 8), PLATFORM),
        platform(middle, 3, long),
        along(middle, long, 40, FENCE, 0.5),
        ball("GoodGoalBounce", middle, front - 7, 1.5, 0.95, sign * near(rng, 32.5, 0.7) % 360),
    ]
    for hand in (sign, -sign)[:screens]:
        objects += _garage(middle, hand, front)
    return task(
        "Reach the green ball that rolls behind the screen; the walkway can be left once only.",
        (*PERMANENCE, "irreversible choice"),
        "Note on which side the ball vanishes; leave the walkway on that side and look behind the screen.",
        *objects,
        time_limit=500 if lights else 250,
        pass_mark=0.5,
        blackouts=lights,
    )


def _garage(middle: float, hand: int, front: float) -> list[Object]:
    """Return a screen with back and outer wall, open towards the middle."""
    return [
        wall(middle + hand * 10, front, (9, PASSED_SCREEN, 0.4)),
        wall(middle + hand * 11, front + 5.6, (7.8, PASSED_SCREEN, 0.4)),
        wall(middle + hand * 14.7, front + 2.8, (0.4, PASSED_SCREEN, 5.2)),
    ]


def passing_behind(rng: Rng, count: int) -> Blueprint:
    """A reward rolls past screens, and stays behind one (A not B). It reappears between them (Piaget 1954),
    through slots that are too narrow for the agent."""
    width = even(near(rng, 37 / count, 0.7))
    span = count * width
    first = even(near(rng, 20 - span / 2, max(0.0, 20 - span / 2 - 0.6)))
    lefts = [first + number * width for number in range(count)]
    deep, front = even(near(rng, 18, 1.5)), even(near(rng, 34, 0.8))
    track, stop = front + 1.2, int(rng.integers(1, count))
    objects = [
        agent(first + span / 2 + near(rng, 0, 2), deep - near(rng, 3, 0.8), near(rng, 0, 8), PLATFORM),
        platform(first + span / 2, span, deep),
        ball("GoodGoalBounce", first + 1.2, track, 0.85, 0, 90),
        wall(lefts[stop] + width / 2 + 1.2, track, (0.3, 0.6, 0.9)),
    ]
    for x in lefts[1:]:
        objects += [along(x, deep, track - 0.48, LOWER, 0.3), along(x, track + 0.48, 40, LOWER, 0.3)]
    objects += [
        along(x, 0, 40, PASSED_SCREEN, 0.3) for x in (first - 0.15, first + span + 0.15) if 0.3 < x < 39.7
    ]
    # Before the first screen the ball is seen from the start, so that gap is wider.
    screens = [(left + (2.3 if left == first else 1) * SEEN_GAP, left + width - SEEN_GAP) for left in lefts]
    objects += [across(front, a, b, PASSED_SCREEN, 0.3) for a, b in screens]
    return task(
        f"Reach the green ball that passes behind {count} screens in a row and stays behind one of them.",
        (*PERMANENCE, "tracking", "irreversible choice"),
        "Watch each gap between screens: the ball is behind the screen after the last in which it was seen.",
        *objects,
        time_limit=500,
    )


SCREEN = 2.4
"""Height of screens, metres."""

SLOT = 2.2
"""Gap at the side of a screen, metres."""


def _edges(rng: Rng, count: int) -> list[float]:
    """Return the x of the edges of compartments over the whole width."""
    return [0.0, *map(even, [40 * number / count + near(rng, 0, 1.2) for number in range(1, count)]), 40.0]


def _screens(rng: Rng, edges: list[float], z: float, floor: float = 0) -> Iterator[tuple[Object, int]]:
    """Return a screen in each compartment, and the sides of the gaps. A side is -1 left, 1 right."""
    for edge, other in pairwise(edges):
        gap, left, right = side(rng), edge + THICK / 2, other - THICK / 2
        left, right = (left + SLOT, right) if gap < 0 else (left, right - SLOT)
        yield wall((left + right) / 2, z, (right - left - 0.02, SCREEN, THICK), y=floor), gap


def gathering(rng: Rng, bays: int, balls: int) -> Blueprint:
    """Several rewards fall behind low walls, to be found again. Visible displacement."""
    edges, front = _edges(rng, bays), even(near(rng, 33, 0.8))
    objects = [agent(near(rng, 20, 6), near(rng, 3, 1.5), near(rng, 0, 12))]
    objects += [wall(x, (front + 38) / 2 - 1.5, (THICK, SCREEN, 41 - front)) for x in edges[1:-1]]
    full = {int(bay) for bay in rng.permutation(bays)[:balls]}
    for bay, (screen, gap) in enumerate(_screens(rng, edges, front)):
        objects.append(screen)
        if bay in full:
            at = screen.place[0] - gap * near(rng, 0.4, 0.3), front + near(rng, 2, 0.3)
            objects.append(ball("GoodGoalMulti", *at, 2, near(rng, 11, 1.5)))
    return task(
        f"Gather all {balls} yellow balls that fall into {balls} of {bays} bays.",
        (*PERMANENCE, "foraging"),
        "Note into which bays balls fall; visit these, and no other.",
        *objects,
        pass_mark=2 * balls - 1,
    )


def over_ramps(rng: Rng, count: int) -> Blueprint:
    """A reward falls behind one of several ramps. Driving over the wrong one traps the agent behind it."""
    edges, low = _edges(rng, count), even(near(rng, 27, 1))
    height, long, baited = near(rng, 2.2, 0.15), 6.0, int(rng.integers(count))
    top = low + long
    objects = [agent(near(rng, 20, 4), near(rng, 3, 1.5), near(rng, 0, 12))]
    objects += [along(x, low, 40, 3) for x in edges[1:-1]]
    for number in range(count):
        left, right = edges[number] + THICK / 2, edges[number + 1] - THICK / 2
        middle, wide = (left + right) / 2, right - left
        objects.append(ramp(middle, low + long / 2, (wide, height, long), 180))
        if number == baited:
            place = near(rng, middle, wide / 2 - 1.2), top + near(rng, 1.2, 0.3)
            objects.append(ball("GoodGoal", *place, 1.4, near(rng, 11, 1.5)))
    return task(
        f"Reach the green ball that falls behind one of {count} ramps; there is no way back over a ramp.",
        (*PERMANENCE, "irreversible choice"),
        "Note behind which ramp the ball falls, drive up that ramp, and drop to the ball.",
        *objects,
    )


def pits(rng: Rng, columns: int, rows: int, lights: tuple[int, ...] = ()) -> Blueprint:
    """A reward falls into one of several deep pits. They are Grether & Maslow's wells, too deep to look
    into."""
    height, half = near(rng, 4.6, 0.2), 1.6
    xs = [even(40 * (number + 0.5) / columns + near(rng, 0, 1.2)) for number in range(columns)]
    zs = [even(near(rng, 37 - 7 * number - 2, 0.8)) for number in reversed(range(rows))]
    objects = [agent(near(rng, 20, 5), near(rng, 3, 1), near(rng, 0, 12), height)]
    z = 0.0
    for row in zs:
        objects.append(_slab(0, z, 40, row - half, height))
        starts, stops = [0.0, *(x + half for x in xs)], [*(x - half for x in xs), 40.0]
        objects += [_slab(a, row - half, b, row + half, height) for a, b in zip(starts, stops, strict=True)]
        z = row + half
    objects.append(_slab(0, z, 40, 40, height))
    x, z_middle = (float(rng.choice(values)) + near(rng, 0, 0.6) for values in (xs, zs))
    return task(
        f"Reach the green ball that falls into one of {columns * rows} pits; there is no way out of a pit.",
        (*PERMANENCE, "irreversible choice", "spatial memory"),
        "Note into which pit the ball falls, drive there between the others, and drop into it.",
        *objects,
        ball("GoodGoal", x, z_middle, 1.6, height + near(rng, 11, 1)),
        time_limit=500 if lights or rows > 1 else 250,
        blackouts=lights,
    )


def _slab(x1: float, z1: float, x2: float, z2: float, height: float) -> Object:
    return wall((x1 + x2) / 2, (z1 + z2) / 2, (x2 - x1, height, z2 - z1), 0, BLUE)


def two_in_turn(rng: Rng, count: int) -> Blueprint:
    """Two choices in turn, each between `count` compartments (memory span).

    The relevant events are shown at the start. Steps lead down from the first platform to the last
    compartments, so that no choice can be undone.
    """
    edges = [_edges(rng, count) for _ in range(2)]
    objects = [
        agent(near(rng, 20, 3), near(rng, 1.8, 0.4), near(rng, 0, 8), 3.3),
        _slab(0, 0, 40, 5, 3.3),
        _slab(0, 5, 40, 15, 2.2),
        _slab(0, 15, 40, 20, 1.1),
    ]
    full = rng.integers(count, size=2)
    objects += _screened(rng, edges[0], int(full[0]), (5, 10.4, 15), 2.2, (1, near(rng, 10, 0.5)))
    objects += _screened(rng, edges[1], int(full[1]), (20, 34.4, 40), 0.0, (2, near(rng, 19, 1)))
    return task(
        f"Gather both yellow balls: one falls behind a screen of the near {count}, one of the far {count}.",
        (*PERMANENCE, "irreversible choice"),
        "Note both screens; drop into the near stall, drive round its screen and on, then into the far one.",
        *objects,
        time_limit=500,
        pass_mark=2,
    )


def _screened(
    rng: Rng, edges: list[float], full: int, depths: Point, floor: float, drop: tuple[float, float]
) -> list[Object]:
    """Compartments with screens. `depths` are the z where they begin, of the screens, and where they end.
    `drop` is the ball's size and the height it falls from."""
    low, front, high = depths
    objects = [along(x, low, high, SCREEN, y=floor) for x in edges[1:-1]]
    for number, (screen, gap) in enumerate(_screens(rng, edges, front, floor)):
        objects.append(screen)
        if number == full:
            x = screen.place[0] - gap * near(rng, 1, 1)
            objects.append(ball("GoodGoalMulti", x, front + near(rng, 1.7, 0.3), *drop))
    return objects


LAUNCH = 10.0
"""Speed of a ball that is launched, m/s (`arena/taskfile/kinds.yaml`)."""

GRAVITY = 9.81


def _task(goal: str, seen: str, capacities: tuple[str, ...], *objects: Object, **others: Any) -> Blueprint:
    return task(
        goal,
        (*PERMANENCE, "irreversible choice", *capacities),
        f"Note behind which screen {seen}; drop from the platform into that stall and go round its screen.",
        *objects,
        time_limit=500 if others.get("blackouts") else 250,
        **others,
    )


def _drop(rng: Rng, apparatus: Compartments, kind: str, number: int, size: float) -> Object:
    """Return a ball that falls from the sky behind a screen. It is seen for more than a second."""
    x, z = apparatus.hidden(rng, number)
    return ball(kind, x, z, size, near(rng, 11, 1.5))


def falling(rng: Rng, count: int, lights: tuple[int, ...] = ()) -> Blueprint:
    """A reward falls behind one of several screens (visible displacement). After Piaget (1954) and Voelter et
    al. (2022). With `lights` they go out after it has vanished (delayed response, Hunter 1913)."""
    apparatus, baited = compartments(rng, count), int(rng.integers(count))
    return _task(
        f"Reach the green ball that falls behind one of {count} screens; a choice cannot be undone.",
        "the ball falls",
        (),
        *apparatus.objects(rng),
        _drop(rng, apparatus, "GoodGoal", baited, 2),
        blackouts=lights,
        pass_mark=1,
    )


def falling_among_bad(rng: Rng, count: int, bad: int) -> Blueprint:
    """Balls fall behind screens simultaneously, one good, the others bad. Bad ones end the episode (what and
    where)."""
    apparatus = compartments(rng, count)
    good, *others = (int(baited) for baited in rng.permutation(count)[: bad + 1])
    return _task(
        f"Reach the green ball; red balls fall behind {bad} of the other {count - 1} screens.",
        "the green ball falls",
        ("discrimination",),
        *apparatus.objects(rng),
        _drop(rng, apparatus, "GoodGoal", good, 2),
        *(_drop(rng, apparatus, "BadGoal", baited, 2) for baited in others),
        pass_mark=1,
    )


def larger_of_two(rng: Rng, count: int, lights: tuple[int, ...] = ()) -> Blueprint:
    """Two rewards fall behind screens; the larger has to be remembered. Preference from memory."""
    apparatus = compartments(rng, count)
    large, small = (int(baited) for baited in rng.permutation(count)[:2])
    return _task(
        "Reach the larger of two green balls that fall behind screens.",
        "the larger ball falls",
        ("preference",),
        *apparatus.objects(rng),
        _drop(rng, apparatus, "GoodGoal", large, 2),
        _drop(rng, apparatus, "GoodGoal", small, 1),
        blackouts=lights,
        pass_mark=1,
    )


def more_of_them(rng: Rng, counts: tuple[int, ...]) -> Blueprint:
    """Rewards fall behind screens in different numbers. Hidden sets (Hauser, Carey & Hauser 2000)."""
    apparatus = compartments(rng, len(counts))
    objects = list(apparatus.objects(rng))
    for index, count in zip(rng.permutation(len(counts)), counts, strict=True):
        x, z = apparatus.hidden(rng, int(index))
        shift = apparatus.gaps[int(index)] * 0.3
        for number in range(count):
            off = 1.3 * (number - (count - 1) / 2)
            height = near(rng, 10.5, 1) + 0.8 * number
            objects.append(ball("GoodGoalMulti", x + shift + off, z, 1, height))
    return _task(
        f"Gather the most yellow balls: {', '.join(map(str, sorted(counts)))} fall behind the screens.",
        "most balls fall",
        ("numerosity",),
        *objects,
        # Balls remain that cannot be had, so the clock always runs down, which costs 1 and more.
        pass_mark=sorted(counts)[-2] - 1,
    )


def thrown_along(rng: Rng, count: int) -> Blueprint:
    """A reward flies past the screens and lands behind one. Tracking a trajectory."""
    apparatus = compartments(rng, count)
    height = near(rng, 9.5, 0.8)
    reach = LAUNCH * math.sqrt(2 * height / GRAVITY)
    baited, sign = int(rng.integers(count)), side(rng)
    middle = apparatus.middle(baited)
    if not 1 < middle - sign * reach < 39:
        sign = -sign
    apparatus = apparatus.with_gap(baited, -sign)
    z = near(rng, apparatus.screen + 1.7, 0.2)
    x = min(max(middle - sign * reach, 0.8), 39.2)
    return _task(
        f"Reach the green ball that flies past and falls behind one of {count} screens.",
        "the ball comes down",
        ("tracking",),
        *apparatus.objects(rng),
        ball("GoodGoalBounce", x, z, 1.5, height, 90 * sign % 360),
        pass_mark=0.5,
    )


def thrown_over(rng: Rng, count: int) -> Blueprint:
    """A reward flies over a screen, away from the agent. Tracking a trajectory."""
    apparatus = compartments(rng, count, behind=6.5)
    baited = int(rng.integers(count))
    height = near(rng, 8.8, 0.4)
    reach = LAUNCH * math.sqrt(2 * height / GRAVITY)
    middle = apparatus.lefts[0] + count * apparatus.width / 2
    x, z = apparatus.middle(baited), apparatus.screen + near(rng, 3.6, 0.3)
    gap = side(rng) if abs(x - middle) < 1 else (1 if x < middle else -1)
    apparatus = apparatus.with_gap(baited, gap)
    start = x - max(-6.0, min(6.0, x - middle))
    back = math.sqrt(reach**2 - (x - start) ** 2)
    bearing = math.degrees(math.atan2(x - start, back))
    return _task(
        f"Reach the green ball that flies over one of {count} screens.",
        "the ball comes down",
        ("tracking",),
        *apparatus.objects(rng),
        ball("GoodGoalBounce", start, z - back, 1.5, height, bearing % 360),
        pass_mark=0.5,
    )


def down_a_ramp(rng: Rng, drop: bool) -> Blueprint:
    """A reward rolls down one side of a ridge above two screens. This is invisible displacement. With `drop`
    it falls on to the ridge first, and a little to one side decides. The ridge is too steep to climb."""
    apparatus = compartments(rng, 2, behind=7.0, gap=1).with_gap(1, -1)
    top, sign = apparatus.lefts[1], side(rng)
    high, long = near(rng, 4.6, 0.2), even(near(rng, 3.0, 0.1))
    z = 38.0
    start = ball("GoodGoal", top + sign * 1.0, z, 1.4, (near(rng, 9, 1) if drop else high))
    return _task(
        "Reach the green ball that rolls down one side of the ridge, behind a screen.",
        "the ball rolls",
        ("tracking", "physical reasoning"),
        *apparatus.objects(rng),
        *(ramp(top + off * (long / 2 + 0.2), z, (3, high, long), 90 * off % 360) for off in (-1, 1)),
        start,
        pass_mark=0.5,
    )


placed = any_orientation
