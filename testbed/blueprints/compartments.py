"""Compartments below a platform, each with a screen; the agent cannot leave the one it drops into.

The platform lies along the fence of low z, and the compartments side by side from its edge to the fence of
high z. The walls between them are low in front of the screens, so that the agent can see everything, and as
high as the screens beside and behind these. Each screen leaves a gap at one side.
"""

from typing import NamedTuple

from testbed.blueprints.blueprint import Object, Rng
from testbed.blueprints.choices import PLATFORM, platform
from testbed.blueprints.parts import THICK, XZ, across, agent, along, even, near, side

LOW, HIGH = 0.6, 2.6
"""Height of the walls between compartments, and of screens, metres."""

SLOT = 1.9
"""Metres beside a screen."""

BESIDE = 5.0
"""How far in front of the screens the high walls begin, metres: no gap of a neighbour is in view."""


class Compartments(NamedTuple):
    """`lefts` are the x of the left edges and `width` that of each compartment; `gaps` is the side (-1 left,
    1 right) of each screen's gap; `deep` is the z of the platform's edge and `screen` that of the screens."""

    lefts: tuple[float, ...]
    width: float
    gaps: tuple[int, ...]
    deep: float
    screen: float

    def middle(self, number: int) -> float:
        """The x of a compartment's middle."""
        return self.lefts[number] + self.width / 2

    def with_gap(self, number: int, gap: int) -> "Compartments":
        """The same with the gap of one screen at a given side."""
        return self._replace(gaps=(*self.gaps[:number], gap, *self.gaps[number + 1 :]))

    def hidden(self, rng: Rng, number: int) -> XZ:
        """A place behind a screen, away from the gap."""
        x = self.middle(number) - self.gaps[number] * near(rng, 0.27 * self.width - 0.5, 0.5)
        return x, near(rng, self.screen + 1.6, 0.3)

    def objects(self, rng: Rng) -> tuple[Object, ...]:
        """The apparatus and the agent, which faces it."""
        right = self.lefts[-1] + self.width
        span, middle = right - self.lefts[0], (self.lefts[0] + right) / 2
        start = agent(middle + near(rng, 0, 1.5), self.deep - near(rng, 3, 0.8), near(rng, 0, 8), PLATFORM)
        low = self.screen - BESIDE
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
        left, right = (left + SLOT, right) if self.gaps[number] < 0 else (left, right - SLOT)
        return across(self.screen, left, right, HIGH)


def compartments(rng: Rng, count: int, behind: float = 5.0, gap: int = 0) -> Compartments:
    """Compartments with `behind` metres behind the screens; `gap` is the side of all gaps, 0 for random."""
    width = even(min(40 / count, near(rng, 11 if count == 2 else 8.6, 1)))
    spare = 40 - count * width
    first = 0.0 if spare < 1.2 else even(near(rng, spare / 2, spare / 2 - 0.6))
    gaps = tuple(gap or side(rng) for _ in range(count))
    lefts = tuple(first + number * width for number in range(count))
    return Compartments(lefts, width, gaps, even(near(rng, 18, 1.5)), even(40 - behind))
