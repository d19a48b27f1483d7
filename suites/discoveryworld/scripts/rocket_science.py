"""Rocket Science: the speed of an orbit and the fuel for it, from properties of the planet."""

import re
from math import exp, log, pi, sqrt
from typing import NamedTuple

from suites.discoveryworld.scripts.player import Player, Stuck, found_in, numbers

_GRAVITATION = 6.67430e-11
"""N m^2 / kg^2, as in the rocketry book of the world."""

_BODIES = {
    "Mercury": (330.11, 2439.4),
    "Venus": (4867.4, 6052),
    "Earth": (5972.4, 6371),
    "the Moon": (73.46, 1737.5),
    "Mars": (641.71, 3389.5),
    "Jupiter": (1898187, 69911),
    "Io": (89.32, 1821.6),
    "Europa": (48.00, 1560.8),
    "Ganymede": (148.2, 2634.1),
    "Saturn": (568317, 58232),
    "Uranus": (86813, 25362),
    "Neptune": (102413, 24622),
    "Pluto": (13.03, 1188.3),
}
"""Mass in 1e21 kg and mean radius in km (Wikipedia, List of Solar System objects by size)."""

_POSTS = ("northern observation post", "southern observation post")
_APART = 30
"""Metres between the two, as their signs say."""

_SWINGING = 100
"""Steps, of a second each, for which the pendulum swings."""

_CELL = "load cell interface"

_FIRING = 60
"""Steps, of a second each, for which a fuel is fired at most."""

_TEST_VOLUME, _TANK = 5000, 10_000
"""Litres of a test at the load cell, and that the rocket holds at most."""


class _Planet(NamedTuple):
    """Its radius in m and its gravity at the ground in m/s^2."""

    radius: float
    gravity: float

    def orbit(self, height: float) -> float:
        """Speed in m/s at a height in m."""
        return self.radius * sqrt(self.gravity / (self.radius + height))


class _Fuel(NamedTuple):
    """Its name, density in kg/l, thrust in N and flow in kg/s, and the mass of the empty rocket in kg."""

    name: str
    density: float
    thrust: float
    flow: float
    rocket: float

    def litres(self, speed: float) -> float:
        """What brings the rocket to a speed, by the rocket equation."""
        return self.rocket * (exp(speed * self.flow / self.thrust) - 1) / self.density

    def suits(self, speed: float, gravity: float) -> bool:
        """Whether its flow could be measured, it lifts the rocket, and fits into the tank."""
        if self.flow == 0 or self.thrust <= self.rocket * gravity:
            return False
        lifted = self.thrust / gravity
        # The mass with fuel, as a logarithm because it can be beyond all numbers.
        if log(self.rocket) + speed * self.flow / self.thrust >= log(lifted):
            return False
        return self.litres(speed) <= _TANK


def rocket_science(play: Player) -> None:
    """Finds the planet's radius and gravity, and the fuel if there is none, and starts the rocket."""
    play.apply("read", play.one("rocketry book"))
    height = 1000 * float(found_in(r"orbit at (\d+) kilometers", play.known.task))
    planet = _looked_up(play.known.task) if "exactly the same as" in play.known.task else _measured(play)
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
    return _Planet(1e3 * radius, _GRAVITATION * 1e21 * mass / (1e3 * radius) ** 2)


def _measured(play: Player) -> _Planet:
    """The radius by angles of light at two places on a meridian, gravity by a pendulum of one metre."""
    angles = []
    for post in _POSTS:
        play.goto(post)
        angles += numbers(play.use(play.one("speed square"), next(iter(play.near("sand")))))
    radius = 360 * _APART / (2 * pi * abs(angles[1] - angles[0]) / 1000)
    play.goto("control room")
    pendulum = play.one("1-meter pendulum")
    play.apply("activate", pendulum)
    play.wait(_SWINGING)
    said = re.search(r"([\d.]+) oscillations in (\d+) ticks", play.apply("read", pendulum))
    if said is None:
        raise Stuck("the pendulum cannot be read")
    return _Planet(radius, 4 * pi**2 * (float(said[1]) / float(said[2])) ** 2)


def _tested(play: Player) -> list[_Fuel]:
    """Fires each fuel at the load cell for as long as it burns."""
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
    """Thrust in N and flow in kg/s, from the last weight before the tank is empty or the test is ended.

    The flow is 0 if the tank is empty at the first look.
    """
    play.say("Fire!")
    said = play.say("Test in progress")
    thrust = flow = 0.0
    for _ in range(_FIRING):
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
    """A number that the load cell shows."""
    return float(found_in(rf"{name}: ([\d.]+)", said))
