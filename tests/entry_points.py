"""What pip notes of an installed package: its name and its entry points."""

import tomllib
from pathlib import Path

OURS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "entry-points"
]
"""Entry points of arena-llm as its next installation has them, by group and name."""


def install(site: Path, package: str, groups: dict[str, dict[str, str]]) -> None:
    """Write it into a folder; a program that has the folder on its search path finds the entry points."""
    facts = site / f"{package.replace('-', '_')}-0.1.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n")
    lines = [
        line for group, points in groups.items() for line in (f"[{group}]", *map(" = ".join, points.items()))
    ]
    (facts / "entry_points.txt").write_text("\n".join(lines))
