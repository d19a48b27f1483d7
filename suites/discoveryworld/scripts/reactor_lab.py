"""Reactor Lab: which property of a crystal decides its frequency, and how."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from suites.discoveryworld.scripts.player import Player, Stuck, numbers

_INSTRUMENTS = ("densitometer", "spectrometer", "microscope", "thermometer", "radiation meter")
_READINGS = {"radiation meter": 8}
"""How often is read; background radiation only adds, so the least reading is the best."""

_SEARCHED = 12
"""Hz around a predicted frequency that are tried: a reactor says when it is right."""

_MOST = 10_000
"""Hz that a reactor can be set to."""


class _Law(NamedTuple):
    """Frequency by the powers of one reading; `misfit` is what rounding its coefficients does to known ones, in Hz."""

    misfit: float
    reading: str
    coefficients: tuple[int, ...]

    def __str__(self) -> str:
        terms = [f"{factor} x^{power}" for power, factor in _by_power(self.coefficients)]
        return f"frequency = {' + '.join(terms)}, where x is {self.reading}"

    def frequency(self, readings: dict[str, float]) -> float:
        """In Hz."""
        return sum(factor * readings[self.reading] ** power for power, factor in _by_power(self.coefficients))


def reactor_lab(play: Player) -> None:
    """Measures all crystals, finds the law by the known frequencies, and tunes the other reactors."""
    easy = "start location" in play.known.places
    for place in () if easy else ("science lab (crystal bench)", "reactor lab"):
        play.goto(place)
    reactors = {number: (reactor, frequency) for reactor in play.seen("crystal reactor") for number, frequency in [_asked(play, reactor)]}
    instruments = [play.take(each) for name in _INSTRUMENTS for each in play.seen(name)]
    readings = {}
    crystals = {int(play.name(each)[-1]): each for each in play.seen("quantum crystal")}
    first = len(crystals) - (1 if easy else 2)
    for number, crystal in sorted(crystals.items()):
        readings[number] = _measured(play, instruments, crystal)
        play.put(crystal, reactors[number][0])
    known = [(readings[n], reactors[n][1]) for n in range(1, first + 1)]
    laws = _laws(known, powers=(1,) if easy else range(first))
    for number in range(first + 1, len(crystals) + 1):
        _tune(play, *reactors[number], readings[number], laws)


def _asked(play: Player, reactor: int) -> tuple[int, float]:
    """The number and the frequency of a reactor."""
    said = play.apply("talk", reactor)
    play.say("Exit")
    found = re.search(r"#(\d+).*?frequence is: ([\d.]+)", said, re.DOTALL)
    if found is None:
        raise Stuck(f"the reactor says {said}")
    return int(found[1]), float(found[2])


def _measured(play: Player, instruments: Sequence[int], crystal: int) -> dict[str, float]:
    """Everything that can be measured of a crystal, away from the others, which radiate too."""
    play.take(crystal)
    places = sorted(play.near("grass|path").items(), key=lambda each: -each[1][1])
    for place, _ in places:
        if set(play.near("quantum crystal")) <= {crystal}:
            break
        play.do(f"beside({play.name(place)})")
    found = {}
    for instrument in instruments:
        name = play.name(instrument)
        said = [numbers(play.use(instrument, crystal)) for _ in range(_READINGS.get(name, 1))]
        found |= {f"{name} {k}": min(each) for k, each in enumerate(zip(*said, strict=True), start=1)}
    return found


def _laws(known: Sequence[tuple[dict[str, float], float]], powers: Sequence[int]) -> list[_Law]:
    """One for each reading, the most plausible first: coefficients are positive whole numbers."""
    frequencies = np.array([frequency for _, frequency in known])
    found = []
    for reading in known[0][0]:
        x = np.array([readings[reading] for readings, _ in known])
        columns = {power: x**power for power in powers}
