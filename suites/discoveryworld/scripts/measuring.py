"""Themes of measurement: proteomics, archaeology, reactor lab and rocket science.

Proteomics and archaeology: everything is measured once, and the flag is put next to the outlier. Reactor Lab:
the frequency of a crystal, by the property that decides it. Rocket Science: the speed of an orbit and the
fuel for it, from properties of the planet.
"""

import re
from collections.abc import Sequence
from itertools import cycle
from math import exp, log, pi, sqrt
from typing import NamedTuple

import numpy as np

from arena.packages import rows_of
from suites.discoveryworld.scripts.player import Player, Stuck, found_in, numbers

_STATUE = re.compile(r"statue of an? ([^#]+)", re.IGNORECASE)
_TABLE = "Instrument Table"


def proteomics(play: Player) -> None:
    """Measure proteins of every species; put the flag at the outlier's statue."""
    meter, flag = (_taken(play, name) for name in ("proteomics meter", "flag"))
    measured: dict[str, list[float]] = {}
    areas = cycle([place for place in play.known.places if "Animal Area" in place])
    while missing := [each for each in _species(play) if each not in measured]:
        found = next((each for each in missing if _animals(play, each)), None)
        if found is None:
            play.goto(next(areas))
        else:
            measured[found] = numbers(play.use(meter, _animals(play, found)[0]))
    points = np.array(list(measured.values()))
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1).sum(axis=1)
    outlier = list(measured)[int(apart.argmax())]
    for place in filter(_STATUE.match, play.known.places):
        play.goto(place)
        if any(far == 1 for _, far in play.near(f"(?i)statue of an? {outlier}").values()):
            break
    note = f"The {outlier} is the outlier; the others cluster together: {measured}."
    play.do(f"drop({play.name(flag)})", note)


def _taken(play: Player, name: str) -> int:
    if not play.seen(name):
        play.goto(_TABLE)
    return play.take(play.one(name))


def _animals(play: Player, species: str) -> list[int]:
    """List reachable animals first."""
    return sorted(play.seen(f"{species}(#|$)"), key=lambda each: each not in play.known.reach)


def _species(play: Player) -> list[str]:
    """Name the species by the statues, otherwise by their places."""
    told = re.search(r"has (\d+) different animal species", play.known.task)
    number = int(told[1]) if told else 0
    statues = [found[1] for name in play.known.names.labels().values() if (found := _STATUE.match(name))]
    places = [found[1] for place in play.known.places if (found := _STATUE.match(place))]
    return statues if len(statues) == number else places


_ARTEFACT = "ancient artifact"
_ANY_ARTEFACT = f"{_ARTEFACT}|.*(hammer|chisel|tongs)"
_AGES = {"stone": 10_000, "bronze": 4_000, "iron": 1_000}
"""Approximate ages of the artefacts' materials in years; only proportions matter."""


def archaeology(play: Player) -> None:
    """Date the artefacts, and put the flag next to the oldest."""
    sites = [place for place in play.known.places if place.startswith("dig site")]
    if sites:
        _excavate(play, sites)
    else:
        _indoors(play)


def _indoors(play: Player) -> None:
    """Take artefacts from their column, west of the agent's path."""
    meter, flag = play.take(play.one("radiocarbon meter")), play.take(play.one("flag"))
    ages = {each: _age(play.use(meter, each)) for each in play.seen(_ARTEFACT)}
    oldest = max(ages, key=lambda each: ages[each])
    play.goto("starting location")
    while (way := play.near(_ARTEFACT)[oldest][0]) != "west":
        play.do(f"move({way.partition('-')[0]})")
    others = sorted(ages.values())[:-1]
    play.do(
        f"drop({play.name(flag)})",
        f"{play.name(oldest)} is the oldest, {ages[oldest]:.0f} years; the others are {others}.",
    )


def _excavate(play: Player, sites: list[str]) -> None:
    play.goto("base camp")
    meter, shovel, flag = (play.take(play.one(name)) for name in ("radio.* meter", "shovel", "flag"))
    readings = {}
    for site in sites:
        play.goto(site)
        artefact = _dug_out(play, shovel)
        said = play.use(meter, artefact)
        readings[site] = (play.name(artefact), numbers(said) or [-_age(said)])
    known = {name: values for name, values in readings.values() if not name.startswith(_ARTEFACT)}
    channel = _channel(known) if known else 0
    unknown = {s: values[channel] for s, (name, values) in readings.items() if name.startswith(_ARTEFACT)}
    oldest = min(unknown, key=lambda site: unknown[site])
    play.goto(oldest)
    why = f"channel {channel + 1} is lower the older the known artefacts are" if known else "by its age"
    play.do(f"drop({play.name(flag)})", f"The artefact of {oldest} is the oldest, {why}: {readings}.")


def _dug_out(play: Player, shovel: int) -> int:
    """Dig out the artefact of the site that begins east of the agent."""
    if found := _eastward(play, _ANY_ARTEFACT):
        return found[0]
    before = set(play.seen(_ANY_ARTEFACT))
    for soil in _eastward(play, "soil"):
        play.use(shovel, soil)
        if found := [each for each in play.seen(_ANY_ARTEFACT) if each not in before]:
            return found[0]
    raise Stuck("no artefact was dug out")


def _eastward(play: Player, pattern: str) -> list[int]:
    return [thing for thing, (way, _) in play.near(pattern).items() if way in ("east", "south-east")]


def _channel(known: dict[str, list[float]]) -> int:
    """Find the isotope that falls with age over stone, bronze and iron."""
    ages = [next(age for word, age in _AGES.items() if word in name) for name in known]
    columns = np.array(list(known.values())).T
    return int(np.argmin([np.corrcoef(ages, column)[0, 1] for column in columns]))


def _age(said: str) -> float:
    return float(found[1]) if (found := re.search(r"(\d+) years", said)) else 0.0


_INSTRUMENTS = ("densitometer", "spectrometer", "microscope", "thermometer", "radiation meter")


class _Law(NamedTuple):
    """Frequency as a polynomial of one reading, with its coefficients. `misfit` is the maximum distance from
    the known frequencies, in Hz."""

    misfit: float
    reading: str
    factors: dict[int, int]

    def __str__(self) -> str:
        terms = [f"{factor} x^{power}" for power, factor in self.factors.items()]
        return f"the frequency is {' + '.join(terms)}, where x is the reading {self.reading}"

    def frequency(self, readings: dict[str, float]) -> float:
        """Compute the frequency in Hz."""
        return sum(factor * readings[self.reading] ** power for power, factor in self.factors.items())


def reactor_lab(play: Player) -> None:
    """Measure all crystals, infer the law, and tune the other reactors."""
    for place in play.known.places:
        play.goto(place)
    reactors = dict(_asked(play, reactor) for reactor in play.seen("crystal reactor"))
    crystals = {int(play.name(each)[-1]): each for each in play.seen("quantum crystal")}
    asked = play.known.task.partition("Your task")[2]
    unknown = [number for number in sorted(crystals) if f"Crystal {number}" in asked]
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
    """Read a reactor's number, with its id and its frequency in Hz."""
    said = play.apply("talk", reactor)
    play.say("Exit")
    number, frequency = found_in(r"#(\d+)", said), found_in(r" is: ([\d.]+)", said)
    return int(number), (reactor, float(frequency))


def _measured(play: Player, instruments: Sequence[int], crystal: int) -> dict[str, float]:
    """Measure a crystal completely, away from the others, which radiate too."""
    play.take(crystal)
    near = play.near("grass|path")
    for place in sorted(play.seen("grass|path"), key=lambda each: -near.get(each, ("", 0))[1]):
        if set(play.near("quantum crystal")) <= {crystal}:
            break
        play.do(f"beside({play.name(place)})")
    found: dict[str, float] = {}
    for instrument in instruments:
        name = play.name(instrument)
        # Background radiation only adds, so the least of several readings is the best.
        times = 8 if name == "radiation meter" else 1
        said = [numbers(play.use(instrument, crystal)) for _ in range(times)]
        found |= {f"{name} {k}": min(each) for k, each in enumerate(zip(*said, strict=True), start=1)}
    return found


def _laws(known: Sequence[tuple[dict[str, float], float]], powers: Sequence[int]) -> list[_Law]:
    """Fit one law per reading, the most plausible first: with whole coefficients above zero."""
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
    """Set a reactor by the first law that works; return that law."""
    play.apply("talk", reactor)
    for law in laws:
        # A reactor that is within 2 Hz says so; it can be set to at most 10,000 Hz.
        for beside in (0, 3, 6, 9, 12, -3, -6, -9, -12):
            wanted = round(min(max(law.frequency(readings) + beside, 0), 10_000))
            play.set_number(
                wanted - int(now), "Increase frequency", "Decrease frequency", " Hz", f"I think {law}."
            )
            now = wanted
            if "activated" in play.name(reactor):
                play.say("Exit")
                return law
    raise Stuck("no law makes the reactor work")


_BODIES = {
    row["name"]: (float(row["mass"]), float(row["radius"])) for row in rows_of(__package__, "bodies.csv")
}
"""Masses in 1e21 kg and mean radii in km (Wikipedia, List of Solar System objects by size)."""

_CELL = "load cell interface"

_TEST_VOLUME, _TANK = 5000, 10_000
"""Litres of a test at the load cell, and of the full rocket."""


class _Planet(NamedTuple):
    """Radius of a planet in m, and surface gravity in m/s^2."""

    radius: float
    gravity: float

    def orbit(self, height: float) -> float:
        """Compute the orbital speed in m/s at a height in m."""
        return self.radius * sqrt(self.gravity / (self.radius + height))


class _Fuel(NamedTuple):
    """Fuel: name, density (kg/l), thrust (N), flow (kg/s), and empty rocket's mass (kg)."""

    name: str
    density: float
    thrust: float
    flow: float
    rocket: float

    def litres(self, speed: float) -> float:
        """Compute the litres for a speed, by the rocket equation."""
        return self.rocket * (exp(speed * self.flow / self.thrust) - 1) / self.density

    def suits(self, speed: float, gravity: float) -> bool:
        """Return whether the fuel was measured, lifts the rocket, and fits."""
        if self.flow == 0 or self.thrust <= self.rocket * gravity:
            return False
        lifted = self.thrust / gravity
        # The mass with fuel, as a logarithm because it can be beyond all numbers.
        if log(self.rocket) + speed * self.flow / self.thrust >= log(lifted):
            return False
        return self.litres(speed) <= _TANK


def rocket_science(play: Player) -> None:
    """Measure the planet and, if necessary, fuels; start the rocket."""
    play.apply("read", play.one("rocketry book"))
    height = 1000 * float(found_in(r"orbit at (\d+) kilometers", play.known.task))
    planet = _looked_up(play.known.task) if "exactly the same as" in play.known.task else _surveyed(play)
    speed = planet.orbit(height)
    fuel = None
    if "hasn't been fueled" in play.known.task:
        fuels = _tested(play)
        fuel = next((each for each in fuels if each.suits(speed, planet.gravity)), None)
        if fuel is None:
            raise Stuck(f"no fuel suits: {fuels}")
    _launch(play, speed, fuel, f"At {height:.0f} m over {planet} the speed is {speed:.1f} m/s.")


def _looked_up(task: str) -> _Planet:
    mass, radius = _BODIES[found_in(r"exactly the same as ([\w ]+)\.", task)]
    # The constant of gravitation in N m^2 / kg^2, as in the rocketry book of the world.
    return _Planet(1e3 * radius, 6.67430e-11 * 1e21 * mass / (1e3 * radius) ** 2)


def _surveyed(play: Player) -> _Planet:
    """Survey the planet: radius by shadows on a meridian, gravity by pendulum."""
    angles = []
    for post in ("northern observation post", "southern observation post"):
        play.goto(post)
        angles += numbers(play.use(play.one("speed square"), next(iter(play.near("sand")))))
    # They are 30 m apart, as their signs say.
    radius = 360 * 30 / (2 * pi * abs(angles[1] - angles[0]) / 1000)
    play.goto("control room")
    pendulum = play.one("1-meter pendulum")
    play.apply("activate", pendulum)
    play.wait(100)  # seconds
    said = re.search(r"([\d.]+) oscillations in (\d+) ticks", play.apply("read", pendulum))
    if said is None:
        raise Stuck("the pendulum cannot be read")
    return _Planet(radius, 4 * pi**2 * (float(said[1]) / float(said[2])) ** 2)


def _tested(play: Player) -> list[_Fuel]:
    """Fire each fuel at the load cell until it is burnt."""
    play.goto("thrust test site")
    while not play.seen(_CELL):
        play.do("move(east)")
    rocket = _gauge(play.apply("talk", play.one(_CELL)), "weight")
    fuels = []
    for name in "ABC":
        play.say("Refuel")
        full = _gauge(play.say(f"Fill rocket with {_TEST_VOLUME}L of fuel {name}"), "weight")
        fuels.append(_Fuel(name, (full - rocket) / _TEST_VOLUME, *_burnt(play, full, rocket), rocket))
    play.say("Exit")
    return fuels


def _burnt(play: Player, full: float, empty: float) -> tuple[float, float]:
    """Measure thrust in N and flow in kg/s before the tank is empty. From the last weight before the tank is
    empty or the test is ended. The flow is 0 if the tank is empty at the first look."""
    play.say("Fire!")
    said = play.say("Test in progress")
    thrust = flow = 0.0
    for _ in range(60):  # seconds at most
        weight, seconds = _gauge(said, "weight"), _gauge(said, "Duration")
        thrust = max(thrust, 1000 * _gauge(said, "thrust"))
        if seconds and weight > empty:
            flow = (full - weight) / seconds
        said = play.say("Refresh")
        if "Test completed" in said:
            break
    else:
        play.say("Abort!")
        if not play.known.options:
            # The tank has become empty in this very step, which ends the conversation.
            play.apply("talk", play.one(_CELL))
            play.say("Refresh")
    play.say("[Back]")
    return thrust, flow


def _launch(play: Player, speed: float, fuel: _Fuel | None, note: str) -> None:
    play.goto("control room")
    play.apply("talk", play.one("computer"))
    play.say("Change target", note)
    play.set_number(round(speed), "Increase target velocity", "Decrease target velocity", " m/s")
    play.say("[Back]")
    if fuel is not None:
        litres = fuel.litres(speed)
        play.say("Change fuel type", f"{litres:.1f} l of fuel {fuel.name} are needed: {fuel}.")
        play.say(f"Fuel {fuel.name}")
        play.say("[Back]")
        play.say("Change fuel amount")
        play.set_number(round(litres), "Increase fuel", "Decrease fuel", "L")
        play.say("[Back]")
    play.say("Start countdown")
    play.say("Confirm")


def _gauge(said: str, name: str) -> float:
    """Read a number of the load cell."""
    return float(found_in(rf"{name}: ([\d.]+)", said))
