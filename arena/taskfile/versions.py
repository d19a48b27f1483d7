"""Differences between the versions of Animal-AI (revisions of animal-ai-unity; recordings)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

from arena.errors import ConfigError
from arena.packages import data_of
from arena.taskfile.catalog import ALIASES, KINDS, frozen
from arena.taskfile.kind import Kind


class Version(StrEnum):
    """The version of Animal-AI that is reproduced.

    v3.1.3 (published model results, the tutorial recording), 4.0 to 4.1 ("4.1"), 4.2 and later ("4"), or
    "2": the arena of v3.1.3 with the scoring of the 2019 competition and of the children, in which nothing
    refills the clock.
    """

    V2 = "2"
    V3 = "3.1.3"
    V41 = "4.1"
    V4 = "4"

    @property
    def is_4(self) -> bool:
        """True for the versions 4.x."""
        return self in (Version.V41, Version.V4)


def version_of(name: object) -> Version:
    """Return a version by its name; raises ConfigError for an unknown one."""
    if name not in tuple(Version):
        names = ", ".join(repr(str(each)) for each in Version)
        raise ConfigError(f"version: got {name!r}, expected one of {names}")
    return Version(str(name))


@dataclass(frozen=True, slots=True)
class Differences:
    """The properties in which versions differ; defaults are those of v3.1.3. Differences of single kinds of
    objects are in the catalog (`Kind.in_4`)."""

    fitted_bars: bool = False
    """Colliders of L, J and U blocks follow their mesh (4.x). Before, the bar is a tenth too short."""
    any_agent_position: bool = False
    """One of several agent positions is chosen at random (4.2 and later). Before, the first is used."""
    agent_off_edge: bool = False
    """Agents exactly on the edge start at (1, 0, 1) (4.x). The edge is x or z of 0 or 40."""
    several_agents: bool = False
    """Every Agent item is an agent (4.4); before, only the first."""
    color_is_whole: bool = False
    """One negative channel makes the whole colour random (4.2 and later). Before, only that channel."""
    changing_goals_end: bool = False
    """Touching a decay, ripen, grow or shrink goal ends the episode (4.x). Before, they are multi goals."""
    starts_late: bool = False
    """Balls are launched and begin to change in their second tick (4.x). Before, in their first."""
    spawner_settings: bool = True
    """Counts, times and sizes of spawners are read from the YAML (v3.1.3). In 4.3 they are fixed."""
    button_acts_when_pressed: bool = False
    """A button acts when it is in (4.2 and later). Before, when it is back out."""
    button_draws_color: bool = True
    """A button draws a colour when it starts (v3.1.3). Its place on the button is not known."""
    strict_blackouts: bool = False
    """Blackouts increase strictly and end before the time limit (4.2 and later)."""
    zero_mark_passes: bool = False
    """Pass marks of 0 count as always reached in merged arenas (4.x)."""
    tree_lift: float = 0.0
    """Height of a tree above its YAML height, metres."""
    only_the_clock: bool = False
    """Only the clock changes health, contacts do not (2019).

    Then the time of an episode costs at most 1, whatever is eaten: competition scores of level 9 are those of
    n balls minus 1 (1.998 n - 1 in `human_data`); in v3.1.3 agents got less (six balls: 10.64).
    """
    sun: tuple[float, float, float] = (1.0, 0.957, 0.839)
    """Colour of the directional light, sRGB. Black where all light is ambient (4.2)."""
    shadow_map: int = 1024
    """Side of the shadow map, texels; without a sun there is none."""


def _differences(version: Version) -> Differences:
    said = data_of("arena.taskfile", "versions.yaml")[version]
    return Differences(**{name: frozen(value) for name, value in said.items()})


DIFFERENCES: Mapping[Version, Differences] = {version: _differences(version) for version in Version}
"""The properties of every version."""


@cache
def kind_in(name: str, version: Version) -> Kind:
    """Return a kind of the catalog, by current name, in a version."""
    kind = KINDS[name]
    changes = {**kind.in_4, **(kind.in_41 if version is Version.V41 else {})}
    return replace(kind, **changes) if version.is_4 else kind


def kind_named(name: str, version: Version) -> Kind:
    """Return a kind of a version by name or alias. Raises KeyError if it does not exist there."""
    if not exists(name, version, laboratory=True):
        raise KeyError(name)
    return kind_in(ALIASES.get(name, name), version)


def exists(name: str, version: Version, laboratory: bool = False) -> bool:
    """Return whether a version has a kind with a name or alias. `laboratory` files have some more."""
    kind = KINDS.get(ALIASES.get(name, name))
    if kind is None or kind.internal or (kind.laboratory and not laboratory):
        return False
    return version.is_4 or not kind.new_in_4
