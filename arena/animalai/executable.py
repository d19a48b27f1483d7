"""What scripts ask for the Unity program, of which there is none here."""

from pathlib import Path


def find_executable(folder: str | Path = "") -> str:
    """Nothing, the empty `file_name`: this arena needs no program. The original looks for one in `folder`."""
    return ""
