"""Stalls side by side below a platform, each with a screen: an agent that has dropped into one stays there.

The platform lies along the fence of low z. The stalls run from its edge to the fence of high z. Ahead of the
screens the walls between them are low, so that the agent overlooks everything; beside and behind the screens
they are as high as these. A screen leaves a gap at one side of its stall, through which the agent gets round.
"""

from dataclasses import dataclass

from testbed.blueprints.blueprint import Object, Rng
from testbed.blueprints.choices import PLATFORM, platform
from testbed.blueprints.parts import XZ, agent, even, near, side
from testbed.blueprints.walls import THICK, across, along

LOW, HIGH = 0.6, 2.6
"""Height of the walls between stalls, and of screens, metres."""

SLOT = 1.9
"""Metres beside a screen."""

BESIDE = 5.0
"""How far ahead of the screens the high walls begin, metres: nobody looks through a neighbour's gap."""


@dataclass(frozen=True)
class Stalls:
    """`lefts` are the x of the stalls' left edges and `width` that of each; `gaps` on which side (-1 left, 1
    right) each screen leaves its gap; `deep` is the platform's edge and `screen` the z of the screens."""

    lefts: tuple[float, ...]
    width: float
    gaps: tuple[int, ...]
    deep: float
    screen: float

    def middle(self, stall: int) -> float:
        """The x of a stall's middle."""
        return self.lefts[stall] + self.width / 2

    def hidden(self, rng: Rng, stall: int) -> XZ:
        """A place behind a stall's screen, away from the gap."""
        x = self.middle(stall) - self.gaps[stall] * near(rng, 0.27 * self.width - 0.5, 0.5)
        return x, near(rng, self.screen + 1.6, 0.3)

    def objects(self, rng: Rng) -> tuple[Object, ...]:
        """The apparatus and the agent, who faces it."""
        right = self.lefts[-1] + self.width
        span, middle = right - self.lefts[0], (self.lefts[0] + right) / 2
        things = [
            agent(middle + near(rng, 0, 1.5), self.deep - near(rng, 3, 0.8), near(rng, 0, 8), PLATFORM),
            platform(middle, span, self.deep),
        ]
        low = self.screen - BESIDE
        for x in self.lefts[1:]:
            things += [along(x, self.deep, low, LOW), along(x, low, 40, HIGH)]
        outer = (self.lefts[0] - THICK / 2, right + THICK / 2)
        things += [along(x, 0, 40, HIGH) for x in outer if THICK < x < 40 - THICK]
        things += [self._screen(stall) for stall in range(len(self.gaps))]
        return tuple(things)

    def _screen(self, stall: int) -> Object:
        last = len(self.gaps) - 1
        left = self.lefts[stall] + (THICK / 2 if stall else 0.0)
        right = self.lefts[stall] + self.width - (THICK / 2 if stall < last else 0.0)
        left, right = (left + SLOT, right) if self.gaps[stall] < 0 else (left, right - SLOT)
        return across(self.screen, left, right, HIGH)


def stalls(rng: Rng, count: int, behind: float = 5.0, gaps: int = 0) -> Stalls:
    """So many stalls with so much room behind the screens; `gaps` is the side of all gaps, 0: drawn."""
    width = even(min(40 / count, near(rng, 11 if count == 2 else 8.6, 1)))
    spare = 40 - count * width
    first = 0.0 if spare < 1.2 else even(near(rng, spare / 2, spare / 2 - 0.6))
    sides = tuple(gaps or side(rng) for _ in range(count))
    return Stalls(
        tuple(first + number * width for number in range(count)),
        width,
        sides,
        even(near(rng, 18, 1.5)),
        even(40 - behind),
    )
