"""What surrounds the code: pinned versions, typed packages, and one version number in all files."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
LOCKED = {"python_version": "3.11", "sys_platform": "linux", "platform_machine": "x86_64"}
"""For which machine constraints.txt was made."""

PINS = [
    line
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def requirements(texts):
    """Requirements of that machine, with those of the project's own extras in place of the extras."""
    for text in texts:
        requirement = Requirement(text)
        if canonicalize_name(requirement.name) == PROJECT["name"]:
            for extra in requirement.extras:
                yield from requirements(PROJECT["optional-dependencies"][extra])
        elif requirement.marker is None or requirement.marker.evaluate(LOCKED):
            yield requirement


def test_each_pin_is_a_name_and_a_public_version():
    assert [pin for pin in PINS if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []


def test_the_pinned_versions_are_allowed_and_complete():
    pinned = {canonicalize_name(name): version for name, _, version in (pin.partition("==") for pin in PINS)}
    needed = list(requirements([*PROJECT["dependencies"], "arena-llm[dev]"]))
    refused = [str(r) for r in needed if not r.specifier.contains(pinned[canonicalize_name(r.name)])]
    assert refused == []


@pytest.mark.parametrize("package", PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
def test_every_package_is_typed(package):
    assert (ROOT / package / "py.typed").is_file()


def test_all_files_name_one_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert citation["version"] == PROJECT["version"]
    present = Version(PROJECT["version"])
    released = Version(re.findall(r"^## \[(\d.*?)\]", changelog, re.MULTILINE)[0])
    # What is not released has changes, and bits of its own.
    assert released < present if present.is_devrelease else released == present
    assert ("## [Unreleased]" in changelog) >= present.is_devrelease
