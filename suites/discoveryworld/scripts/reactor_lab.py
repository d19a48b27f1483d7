"""Reactor Lab: the frequency of a crystal, by the property that decides it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from suites.discoveryworld.scripts.player import Player, Stuck, found_in, numbers

_INSTRUMENTS = ("densitometer", "spectrometer", "microscope", "thermometer", "radiation meter")
_READINGS = {"radiation meter": 8}
"""How often is read; background radiation only adds, so the least reading is the best."""

_SEARCHED = (0, 3, 6, 9, 12, -3, -6, -9, -12)
"""Hz beside a predicted frequency that are tried: a reactor that is within 2 Hz says so."""

_MOST = 10_000
"""Hz that a reactor can be set to."""


class _Law(NamedTuple):
    """A frequency by powers of one reading, with their factors.

    `misfit` is how far it is from the known frequencies at most, in Hz.
    """

    misfit: float
    reading: str
    factors: dict[int, int]

    def __str__(self) -> str:
        terms = [f"{factor} x^{power}" for power, factor in self.factors.items()]
        return f"the frequency is {' + '.join(terms)}, where x is the reading {self.reading}"

    def frequency(self, readings: dict[str, float]) -> float:
        """In Hz."""
        return sum(factor * readings[self.reading] ** power for power, factor in self.factors.items())


def reactor_lab(play: Player) -> None:
    """Measures all crystals, finds the law by the known frequencies, and tunes the other reactors."""
    for place in play.known.places:
        play.goto(place)
    reactors = dict(_asked(play, reactor) for reactor in play.seen("crystal reactor"))
    crystals = {int(play.name(each)[-1]): each for each in play.seen("quantum crystal")}
    unknown = [
        number
        for number in sorted(crystals)
        if f"Crystal {number}" in play.known.task.partition("Your task")[2]
    ]
    instruments = [play.take(each) for name in _INSTRUMENTS for each in play.seen(name)]
    readings = {}
    for number, crystal in sorted(crystals.items()):
        readings[number] = _measured(play, instruments, crystal)
        play.put(crystal, reactors[number][0])
    known = [(readings[number], reactors[number][1]) for number in crystals if number not in unknown]
    laws = _laws(known, (1,) if len(unknown) == 1 else range(len(known)))
    for number in unknown:
        laws.insert(0, _tune(play, *reactors[number], readings[number], laws))


def _asked(play: Player, reactor: int) -> tuple[int, tuple[int, float]]:
    """The number of a reactor, with its id and its frequency in Hz."""
    said = play.apply("talk", reactor)
    play.say("Exit")
    number, frequency = found_in(r"#(\d+)", said), found_in(r" is: ([\d.]+)", said)
    return int(number), (reactor, float(frequency))


def _measured(play: Player, instruments: Sequence[int], crystal: int) -> dict[str, float]:
    """Everything that can be measured of a crystal, away from the others, which radiate too."""
    play.take(crystal)
    near = play.near("grass|path")
    for place in sorted(play.seen("grass|path"), key=lambda each: -near.get(each, ("", 0))[1]):
        if set(play.near("quantum crystal")) <= {crystal}:
            break
        play.do(f"beside({play.name(place)})")
    found: dict[str, float] = {}
    for instrument in instruments:
        name = play.name(instrument)
        said = [numbers(play.use(instrument, crystal)) for _ in range(_READINGS.get(name, 1))]
        found |= {f"{name} {k}": min(each) for k, each in enumerate(zip(*said, strict=True), start=1)}
    return found


def _laws(known: Sequence[tuple[dict[str, float], float]], powers: Sequence[int]) -> list[_Law]:
    """One for each reading, the most plausible first: its coefficients are whole numbers above zero."""
    found = []
    for reading in known[0][0]:
        x = np.array([readings[reading] for readings, _ in known])
        rest = np.array([frequency for _, frequency in known])
        factors: dict[int, int] = {}
        left = sorted(powers, reverse=True)
        while left:
            fitted = np.linalg.lstsq(np.stack([x**power for power in left], axis=1), rest, rcond=None)[0]
            power = left.pop(0)
            factors[power] = round(float(fitted[0]))
            rest = rest - factors[power] * x**power
        if min(factors.values()) > 0:
            found.append(_Law(float(np.abs(rest).max()), reading, factors))
    return sorted(found, key=lambda law: law.misfit)


def _tune(play: Player, reactor: int, now: float, readings: dict[str, float], laws: list[_Law]) -> _Law:
    """Set a reactor by the first law that makes it work; that law."""
    play.apply("talk", reactor)
    for law in laws:
        for beside in _SEARCHED:
            wanted = round(min(max(law.frequency(readings) + beside, 0), _MOST))
            play.set_number(
                wanted - int(now), "Increase frequency", "Decrease frequency", " Hz", f"I think {law}."
            )
            now = wanted
            if "activated" in play.name(reactor):
                play.say("Exit")
                return law
    raise Stuck("no law makes the reactor work")
