"""Stand-in for the search for the Unity program, which is not needed here."""

from pathlib import Path


def find_executable(base: str | Path = "") -> str:
    """An empty `file_name`, as this arena needs no program; the original searches `base` for one."""
    return ""


def find_or_download_executable(base: str | Path = "", auto_download: bool = True) -> str:
    """An empty `file_name`; nothing is downloaded."""
    return ""
