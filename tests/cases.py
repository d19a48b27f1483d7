"""Tables of cases, which stand as YAML beside the file of tests that has its name."""

from pathlib import Path
from typing import Any

import yaml


def cases(tests: str) -> dict[str, Any]:
    """The tables of a file of tests, by the names of its tests."""
    return yaml.safe_load(Path(tests).with_suffix(".yaml").read_text(encoding="utf-8"))
