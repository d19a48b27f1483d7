"""What differs between the versions of Animal-AI, in one table (section 9 of the behaviour specification)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache

from arena.errors import ConfigError
from arena.taskfile.catalog import ALIASES, KINDS
from arena.taskfile.kind import Kind


class Version(StrEnum):
    """Which Animal-AI is re-enacted.

    v3.1.3 (published model results, the tutorial recording), 4.x, or the account of 2019 in the arena of
    v3.1.3: the 2019 competition's entrants and the children were scored with a clock that nothing refills.
    """

    V2 = "2"
    V3 = "3.1.3"
    V4 = "4"


def version_of(name: object) -> Version:
    """A version by its name; raises ConfigError for an unknown one."""
    if name not in tuple(Version):
        names = ", ".join(repr(str(each)) for each in Version)
        raise ConfigError(f"version: got {name!r}, expected one of {names}")
    return Version(str(name))


@dataclass(frozen=True, slots=True)
class Differences:
    """The facts of one version where the versions differ.

    What differs about single kinds of object is in the catalog (`Kind.in_4`).
    """

    fitted_bars: bool
    """Colliders of L, J and U blocks follow their mesh (4.x); before, the bar is a tenth too short."""
    minus_one_is_high: bool
    """A y of exactly -1 is random in 0 to 100 (v3.1.3 builds after 2023-10-02); 0 in 4.x."""
    any_agent_position: bool
    """One of several agent positions is drawn (4.x); the first counts in v3.1.3."""
    agent_off_edge: bool
    """An agent with x or z of exactly 0 or 40 starts at (1, 0, 1) (4.x)."""
    several_agents: bool
    """Every Agent item is an agent (4.4); before, only the first."""
    color_is_whole: bool
    """One negative channel makes the whole colour random (4.x); each by itself in v3.1.3."""
    changing_goals_end: bool
    """Touching a decay, ripen, grow or shrink goal ends the episode (4.x); before, they are multi goals."""
    spawner_settings: bool
    """Counts, times and sizes of spawners are read from the YAML (v3.1.3); prefab values hold in 4.3."""
    button_acts_when_pressed: bool
    """A button acts when it is in (4.x), not when it has come back."""
    strict_blackouts: bool
    """Blackouts must rise strictly and end before the time limit (4.x)."""
    arenas_shuffled: bool
    """`randomizeArenas` is obeyed by programs too (4.x), not only in play."""
    zero_mark_passes: bool
    """For merged arenas a pass mark of 0 counts as always reached (4.x)."""
    tree_lift: float
    """How far a tree is lifted off its YAML height, metres."""
    only_the_clock: bool = False
    """Health is what is left of the clock, and nothing that is touched changes it (2019).

    Then an episode costs at most 1 for its time, whatever is eaten: competition scores of level 9 are those
    of n balls less 1 (1.998 n - 1 in `human_data`); agents in v3.1.3 got less (six balls: 10.64).
    """
    sun: tuple[float, float, float] = field(default=(1.0, 1.0, 1.0))
    """Colour of the directional light, sRGB."""
    shadow_map: int = 2048
    """Texels of the shadow map's side."""


_V3 = Differences(
    fitted_bars=False,
    minus_one_is_high=True,
    any_agent_position=False,
    agent_off_edge=False,
    several_agents=False,
    color_is_whole=False,
    changing_goals_end=False,
    spawner_settings=True,
    button_acts_when_pressed=False,
    strict_blackouts=False,
    arenas_shuffled=False,
    zero_mark_passes=False,
    tree_lift=0.0,
    sun=(1.0, 0.957, 0.839),
    shadow_map=1024,
)

DIFFERENCES: Mapping[Version, Differences] = {
    Version.V2: replace(_V3, only_the_clock=True),
    Version.V3: _V3,
    Version.V4: Differences(
        fitted_bars=True,
        minus_one_is_high=False,
        any_agent_position=True,
        agent_off_edge=True,
        several_agents=True,
        color_is_whole=True,
        changing_goals_end=True,
        spawner_settings=False,
        button_acts_when_pressed=True,
        strict_blackouts=True,
        arenas_shuffled=True,
        zero_mark_passes=True,
        tree_lift=0.01,
    ),
}
"""The facts of every version."""


@cache
def kind_in(name: str, version: Version) -> Kind:
    """A kind of the catalog, by its current name, with the facts of a version."""
    kind = KINDS[name]
    return replace(kind, **kind.in_4) if version == Version.V4 else kind


def kind_named(name: str, version: Version) -> Kind:
    """The kind of an object's name or alias as a version has it.

    Raises KeyError for a name that the version does not know.
    """
    kind = kind_in(ALIASES.get(name, name), version)
    if kind.internal or (kind.new_in_4 and version != Version.V4):
        raise KeyError(name)
    return kind
