"""The two published batteries, identified by the SHA-256 of their files."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from platformdirs import user_data_path

from arena import ConfigError

Name = Literal["original", "llm-aai"]
NAMES: tuple[Name, ...] = get_args(Name)
"""Names that every option and argument for a folder of task files takes."""


class Source(NamedTuple):
    """A public repository: its name, its licence, and an archive of it at one commit."""

    repository: str
    folder: str
    licence: str
    archive: str


SOURCES: Mapping[Name, Source] = MappingProxyType(
    {
        "original": Source(
            "github.com/Kinds-of-Intelligence-CFI/animal-ai",
            "configs/competition",
            "Apache-2.0",
            "https://codeload.github.com/Kinds-of-Intelligence-CFI/animal-ai/tar.gz/ea382db",
        ),
        "llm-aai": Source(
            "github.com/Kinds-of-Intelligence-CFI/LLM-AAI",
            "data/arena_configs/competition/competition_full",
            "AGPL-3.0",
            "https://codeload.github.com/Kinds-of-Intelligence-CFI/LLM-AAI/tar.gz/"
            "e3391181d355c0242047148fbefe6899cda444ce",
        ),
    }
)
"""The 2019 battery, and the copy with which the paper on language models (arXiv 2410.23242) was made."""

RAISED_BEAM = "04-22-01"
"""The task that differs in LLM-AAI: its beam is 0.2 m high instead of 0.1 m, "updated for compatibility".

In version 3.1.3 a beam of 0.1 m lies below the top of the death zone, so only the changed file can be passed.
"""

_RAISED_BEAM_SHA256 = "4151ee2b441e72669dc62584dd1f385ad489f54a0277295926e7226e3bc36b68"


@cache
def digests(name: Name) -> Mapping[str, str]:
    """SHA-256 of each of the 900 files by task id."""
    lines = files("testbed.originals").joinpath("original.sha256").read_text(encoding="ascii").splitlines()
    known = {file.removesuffix(".yaml"): digest for digest, file in map(str.split, lines)}
    return MappingProxyType({**known, RAISED_BEAM: _RAISED_BEAM_SHA256} if name == "llm-aai" else known)


def is_published(task_id: str, sha256: str | None, name: Name | None = None) -> bool:
    """Whether a task's file is that of a published battery (default: of either), whatever its folder."""
    return any(digests(each).get(task_id) == sha256 for each in ((name,) if name else NAMES)) and bool(sha256)


def kept_folder(name: Name) -> Path:
    """Folder in the user's data folder in which `arena-llm testbed fetch` keeps a battery."""
    return user_data_path("arena-llm", appauthor=False) / "testbeds" / name


def located(folder: str | Path) -> Path:
    """The folder of task files for a published battery's name, or a path as it is.

    Raises ConfigError if a battery of that name has not been fetched.
    """
    name = next((each for each in NAMES if each == str(folder)), None)
    if name is None:
        return Path(folder)
    if not (kept := kept_folder(name)).is_dir():
        raise ConfigError(
            f"testbed {name}: its files are not on this computer; fetch them once by: "
            f"arena-llm testbed fetch {name}"
        )
    return kept
