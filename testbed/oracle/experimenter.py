"""The ideal player of a laboratory arena: the best experiments by pads, exact inference, then a door."""

import math

import numpy as np

from arena.action import STEP_S
from arena.laboratory import MOVES_S, is_over
from arena.science import TIE, Floats
from arena.science.families import MachineQuestion
from testbed.oracle.attempt import Attempt
from testbed.oracle.motion import waiting

SURE, SURER = 0.99, 0.9999
"""Probability of a door above which it is opened, in the first attempt and where that was wrong."""

APPROACH_M = 1.5
"""Distance before a door from which it is driven against, metres."""

OFF_PAD_M = 2.2
"""Distance from a pad's middle at which the agent has left it, metres."""

MOVES_STEPS = round(MOVES_S / STEP_S) + 10
"""Steps in which something slides or rolls, and some to be safe."""

PUSH_M, ASIDE_M = 1.5, 1.7
"""Distances of the agent behind a block that it pushes, and of a block beside its pad, metres."""

CLEAR_M = 0.7
"""Room that a block needs on both sides of its way, metres."""

NEAR_M = 0.15
"""Distance from its place at which a block that is pushed there is left, metres."""

SLIPS_M = 0.3
"""Distance of a block's middle from the line of the push at which it is about to be left behind, metres."""

MOST_NUDGES = 14
"""Short drives of one push, each about 0.3 m, after which the agent lines up again."""

MOST_PUSHES = 12
"""Pushes of one experiment after which it is given up."""

DOOR_STEPS = 25
"""Steps in which a door is driven against and opens."""


class Experimenter:
    """Plays an attempt's episode until a door is open."""

    def __init__(self, attempt: Attempt, rng: np.random.Generator | None = None) -> None:
        """With a generator all experiments are made, at random, instead of the best until a door is sure."""
        question = attempt.episode.spec.question
        assert question is not None
        self.attempt, self._episode, self._rng = attempt, attempt.episode, rng
        self._question, self._hidden = question, question.hidden
        self._pads = [each for each in self._episode.layout.things if each.kind.name == "BlockPad"]
        self._sure = SURER if attempt.strategy.wait else SURE

    def run(self, door: int | None = None, experiments: bool = True) -> bool:
        """Make experiments as long as that works, and open a door, by default the likeliest.

        Returns False if there is no way to the door.
        """
        while experiments and self._learns() and self.visit(self._next_pad()):
            pass
        chosen = int(self._hidden.of_doors(self._belief).argmax()) if door is None else door
        return self._open(chosen)

    @property
    def _belief(self) -> Floats:
        return self._hidden.posterior(self._episode.experiments.seen)

    def _learns(self) -> bool:
        """Whether there may be another experiment and it may say more, and no door is sure."""
        if len(self._episode.experiments.seen) == self._question.experiments:
            return False
        belief = self._belief
        unsure = self._hidden.of_doors(belief).max() < self._sure
        return self._rng is not None or bool(unsure and self._total(belief).max() > TIE)

    def _total(self, belief: Floats) -> Floats:
        """(e,): what an experiment says of the door, and a little of what it says of everything else."""
        return self._hidden.information(belief) + 0.01 * self._hidden.about_everything(belief)

    def _next_pad(self) -> int:
        """The pad to visit: of the best experiment, or of the first change towards it."""
        seen = self._episode.experiments.seen
        if self._rng:
            return int(self._rng.integers(len(self.places("Pad") or self.places("BlockPad"))))
        if not isinstance(self._question, MachineQuestion):
            return int(self._total(self._belief).argmax())
        on, belief = seen[-1].experiment if seen else 0, self._belief
        sets = np.arange(len(self._hidden.likelihood))
        changes = np.array([int(each ^ on).bit_count() for each in sets])
        worth = np.where(changes > 0, self._total(belief) / np.maximum(changes, 1), -1.0)
        missing = int(worth.argmax()) ^ on
        things = [thing for thing in range(self._question.things) if missing >> thing & 1]
        # Of several changes on the way, the one that says most itself.
        return max(things, key=lambda thing: worth[on ^ (1 << thing)])

    def visit(self, thing: int) -> bool:
        """Drive onto a pad, from beside it if the agent stands on it; False if nothing came of it."""
        if self.places("Block"):
            return self._push_until_seen(thing)
        made = len(self._episode.experiments.seen)
        (x, z), under = self.places("Pad")[thing], self._under()
        if thing in under:
            self.attempt.go_near(x, z - OFF_PAD_M - 0.5, self._zones({thing}))
        self.attempt.go_near(x, z, self._zones({thing, *under}))
        return self._saw_more_than(made)

    def _saw_more_than(self, made: int) -> bool:
        """Wait until another experiment than so many has happened; False if none does."""
        for _ in range(MOVES_STEPS):
            if self._episode.done or len(self._episode.experiments.seen) > made:
                break
            self._episode.step(waiting(self._episode))
        return len(self._episode.experiments.seen) > made

    def _push_until_seen(self, thing: int) -> bool:
        """Push a block onto its pad, or off it, until an experiment happens."""
        made = len(self._episode.experiments.seen)
        for _ in range(MOST_PUSHES):
            was_on = self._is_on(thing)
            if not any(self._push(thing, place) for place in self._next_places(thing)):
                return False
            if self._is_on(thing) > was_on or len(self._episode.experiments.seen) > made:
                return self._saw_more_than(made)
        return False

    def _is_on(self, thing: int) -> bool:
        x, z = self.places("Block")[thing]
        return is_over(self._pads[thing], (x, 0.0, z))

    def _next_places(self, thing: int) -> list[tuple[float, float]]:
        """Where to push a block in a straight line, best first: onto its pad, beside it, or away."""
        at, (x, z) = self.places("Block")[thing], self.places("BlockPad")[thing]
        sides = [(x + ASIDE_M, z), (x - ASIDE_M, z)]
        wanted = sides if self._is_on(thing) else [(x, z), *sides]
        away = [(x + ASIDE_M, at[1]), (x - ASIDE_M, at[1]), (at[0], at[1] - ASIDE_M)]
        return [*(each for each in wanted if self._is_free(at, each)), *away]

    def _is_free(self, start: tuple[float, float], end: tuple[float, float]) -> bool:
        """Whether no wall is near the way between two places."""
        scene = self._episode.scene()
        walls = [index for index, each in enumerate(scene.things) if each.kind == "Wall"]
        ways = np.linspace(start, end, 20)
        middles, halves = scene.positions[walls][:, [0, 2]], scene.sizes[walls][:, [0, 2]] / 2
        gaps = np.maximum(np.abs(ways[:, None] - middles) - halves, 0)
        return bool((np.hypot(*np.moveaxis(gaps, -1, 0)) > CLEAR_M).all())

    def _push(self, thing: int, place: tuple[float, float]) -> bool:
        """Line up behind a block, and push it gently towards a place; False if it cannot line up."""
        start = np.array(self.places("Block")[thing])
        way = np.subtract(place, start)
        distance = float(np.hypot(*way))
        behind = start - PUSH_M * way / distance
        if self.attempt.line_up(*behind.tolist()) is None:
            return False
        self.attempt.driver.face(math.degrees(math.atan2(*way)))
        for _ in range(MOST_NUDGES):
            self.attempt.driver.nudge(self._episode.yaw, 1)
            at, (agent_x, _, agent_z) = self.places("Block")[thing], self._episode.position
            done = (at - start) @ way / distance
            ahead_x, ahead_z = at[0] - agent_x, at[1] - agent_z
            aside = (way[0] * ahead_z - way[1] * ahead_x) / distance
            if self._episode.done or done > distance - NEAR_M or abs(aside) > SLIPS_M:
                break
        return True

    def _under(self) -> set[int]:
        """Numbers of the pads that the agent is on, or nearly is."""
        x, _, z = self._episode.position
        away = (max(abs(at[0] - x), abs(at[1] - z)) for at in self.places("Pad"))
        return {number for number, metres in enumerate(away) if metres < OFF_PAD_M}

    def _zones(self, entered: set[int]) -> list[int]:
        """Indices into the scene of the pads that are not to be entered: all but these numbers."""
        things = self._episode.scene().things
        pads = [index for index, each in enumerate(things) if each.kind == "Pad"]
        return [index for number, index in enumerate(pads) if number not in entered]

    def places(self, kind: str) -> list[tuple[float, float]]:
        """x and z of all things of a kind, in their order."""
        scene = self._episode.scene()
        at = [scene.positions[index] for index, each in enumerate(scene.things) if each.kind == kind]
        return [(float(x), float(z)) for x, _, z in at]

    def _open(self, door: int) -> bool:
        """Drive against a door, whose front is at its side of smaller z, and wait until it is open."""
        x, z = self.places("MarkedDoor")[door]
        near = self.attempt.go_near(x, z - APPROACH_M, self._zones(self._under()))
        return near and self.attempt.ram(0.0, DOOR_STEPS)
