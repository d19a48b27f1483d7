"""The facts of a kind stand in the catalog, and its look, if it needs one, in one more place."""

import ast
from pathlib import Path

import pytest

from arena.taskfile.catalog import ALIASES, KINDS
from arena.taskfile.versions import Version, kind_in, kind_named

ROOT = Path(__file__).parents[2]


def strings_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}


STRINGS = {
    str(path.relative_to(ROOT)): strings_of(path)
    for package in ("arena", "render")
    for path in (ROOT / package).rglob("*.py")
}

WITH_CODE = {
    *("DataZone", "Door", "GoodGoal", "GoodGoalMulti", "HollowBox", "SignBoard"),
    *("SpawnerButton", "SpawnerTree"),
    *("Machine", "Meter", "Token", "Slider", "Roller", "Pad", "BlockPad", "Block", "Field", "MarkedDoor"),
    *("LitLamp", "DarkLamp", "Segment", "Threshold"),
}
"""Kinds with behaviour or drawing code of their own; good goals are also what spawners and doors give."""

NAMED_AS_TAGS = {"BadGoalMulti", "DeathZone", "DecoyGoal", "DecoyGoalBounce", "HotZone", "Ramp"}


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - WITH_CODE - NAMED_AS_TAGS))
def test_a_kind_without_code_of_its_own_is_named_in_at_most_one_program(kind):
    assert {path for path, strings in STRINGS.items() if kind in strings} <= {"render/looks/look.py"}


def test_older_names_lead_to_kinds_of_the_catalog():
    assert ALIASES.keys().isdisjoint(KINDS)
    assert set(ALIASES.values()) <= KINDS.keys()


@pytest.mark.parametrize("version", Version)
def test_versions_change_facts_only_where_the_catalog_says_so(version):
    for name, kind in KINDS.items():
        same = kind_in(name, version) == kind
        taken_back = kind.in_41.keys() if version is Version.V41 else set()
        assert same == (not version.is_4 or kind.in_4.keys() <= taken_back), name


def test_internal_kinds_and_those_of_version_4_are_refused_before():
    for name, version in (("Door", Version.V4), ("HollowBox", Version.V3), ("Nothing", Version.V4)):
        with pytest.raises(KeyError):
            kind_named(name, version)
    assert kind_named("HollowBox", Version.V4).name == "HollowBox"
