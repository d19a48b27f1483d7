"""Stand-in for the search for the Unity program, which is not needed here."""

from pathlib import Path


def find_executable(folder: str | Path = "") -> str:
    """An empty `file_name`, as this arena needs no program; the original searches `folder` for one."""
    return ""
