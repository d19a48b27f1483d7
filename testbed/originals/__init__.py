"""The original battery's published task files: digests, storage and download."""

import gzip
import hashlib
import http.client
import os
import re
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import IO, Literal, NamedTuple, get_args
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, build_opener, getproxies

from platformdirs import user_data_path

from arena import ConfigError
from arena.errors import EvaluationError
from arena.files import read_bytes, write_file

Name = Literal["original", "llm-aai"]
NAMES: tuple[Name, ...] = get_args(Name)
"""Names accepted in place of a folder of task files."""


class Source(NamedTuple):
    """A public repository: name, folder, licence, and archive at one commit."""

    repository: str
    folder: str
    licence: str
    archive: str


SOURCES: Mapping[Name, Source] = {
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
"""The 2019 battery, and the copy used by LLM-AAI (arXiv 2410.23242)."""

RAISED_BEAM = "04-22-01"
"""Task that differs in LLM-AAI: the beam is 0.2 m high. It was 0.1 m, and was "updated for compatibility". In
version 3.1.3 a beam of 0.1 m lies below the top of the death zone, so only the changed file can be passed."""

_RAISED_BEAM_SHA256 = "4151ee2b441e72669dc62584dd1f385ad489f54a0277295926e7226e3bc36b68"


@cache
def digests(name: Name) -> Mapping[str, str]:
    """SHA-256 of each of the 900 files by task id."""
    lines = files("testbed.originals").joinpath("original.sha256").read_text(encoding="ascii").splitlines()
    known = {file.removesuffix(".yaml"): digest for digest, file in map(str.split, lines)}
    return MappingProxyType({**known, RAISED_BEAM: _RAISED_BEAM_SHA256} if name == "llm-aai" else known)


def is_published(task_id: str, sha256: str | None, name: Name | None = None) -> bool:
    """Return whether a file is that of a published battery (default: any). Its folder is ignored."""
    return any(digests(each).get(task_id) == sha256 for each in ((name,) if name else NAMES)) and bool(sha256)


def kept_folder(name: Name) -> Path:
    """Return the user's data folder for a fetched battery. `arena-llm testbed fetch` keeps it there."""
    return user_data_path("arena-llm", appauthor=False) / "testbeds" / name


def located(folder: str | Path) -> Path:
    """Return a published battery's folder by name, or a path unchanged. Raises ConfigError if a battery of
    that name has not been fetched."""
    name = next((each for each in NAMES if each == str(folder)), None)
    if name is None:
        return Path(folder)
    if not (kept := kept_folder(name)).is_dir():
        raise ConfigError(
            f"testbed {name}: its files are not on this computer; fetch them once with: "
            f"arena-llm testbed fetch {name}"
        )
    return kept


TIMEOUT_S = 30.0
"""Seconds without any byte after which a server counts as silent."""

MOST_BYTES = 4_000_000_000
"""Maximum size of an archive when unpacked. The two repositories have less than a tenth of it."""

MOST_TASK_BYTES = 1_000_000
"""Maximum size of a task file. The largest published one has less than a hundredth of it."""

_TASK_FILE = re.compile(r"\d{2}-\d{2}-\d{2}\.yaml")


def task_files_at(source: str) -> Iterator[tuple[str, bytes]]:
    """Yield id and bytes of a folder's or URL's task files.

    Files are named LL-TT-VV.yaml, anywhere in the folder or in the .tar.gz at the URL. No file is written.
    Raises ConfigError if there is no such folder, EvaluationError if a server or an archive fails.
    """
    scheme = urlsplit(source).scheme
    if scheme in ("http", "https"):
        yield from _downloaded(source)
    elif "://" in source or not Path(source).is_dir():
        raise ConfigError(f"{source}: expected a folder of task files, or a URL (https://...) of a .tar.gz")
    else:
        yield from _in_folder(Path(source))


def _in_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*.yaml")):
        if _TASK_FILE.fullmatch(path.name):
            try:
                yield path.stem, read_bytes(path, MOST_TASK_BYTES)
            except OSError as error:
                raise EvaluationError(f"{path}: cannot be read ({error.strerror or error})") from None


def _downloaded(url: str) -> Iterator[tuple[str, bytes]]:
    try:
        request = Request(url, headers={"User-Agent": "arena-llm"})
        with build_opener().open(request, timeout=TIMEOUT_S) as answer:
            yield from _unpacked(url, answer)
    except HTTPError as error:
        raise _refused(url, f"the server answered {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException) as error:
        cause = getattr(error, "reason", None) or error
        late = isinstance(cause, TimeoutError)
        reason = f"no answer for {TIMEOUT_S:g} s" if late else getattr(cause, "strerror", None) or str(cause)
        raise _refused(url, reason) from None


def _refused(url: str, reason: str) -> EvaluationError:
    proxy = getproxies().get(urlsplit(url).scheme)
    through = f" through the proxy {urlsplit(proxy).hostname or proxy}" if proxy else ""
    return EvaluationError(
        f"{url}: cannot be downloaded{through} ({reason}); try again later, or name a clone or a mirror "
        "with --from FOLDER_OR_URL"
    )


class _Bounded:
    """A stream that ends with an error after `MOST_BYTES`."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream, self._left = stream, MOST_BYTES

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes of the stream."""
        content = self._stream.read(size)
        self._left -= len(content)
        if self._left < 0:
            raise tarfile.ReadError(f"it unpacks to more than {MOST_BYTES:,} bytes")
        return content


def _unpacked(url: str, answer: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the task files of a gzipped tar stream. Every other member is passed over."""
    try:
        with (
            gzip.GzipFile(fileobj=answer, mode="rb") as plain,
            tarfile.open(fileobj=_Bounded(plain), mode="r|") as members,  # type: ignore[call-overload]
        ):
            for member in members:
                name = PurePosixPath(member.name).name
                if member.isfile() and _TASK_FILE.fullmatch(name) and member.size <= MOST_TASK_BYTES:
                    content = members.extractfile(member)
                    yield name.removesuffix(".yaml"), content.read() if content else b""
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise EvaluationError(
            f"{url}: expected a complete archive in .tar.gz format, got something else ({error}); try again"
        ) from None


def is_kept(name: Name) -> bool:
    """Return whether a battery's published files are in the user's data folder."""
    folder = kept_folder(name)
    try:
        return all(
            _sha256(read_bytes(folder / f"{task_id}.yaml", MOST_TASK_BYTES)) == digest
            for task_id, digest in digests(name).items()
        )
    except OSError:
        return False


def fetch(name: Name, source: str | None = None) -> Path:
    """Fetch a battery, and return the folder that keeps it.

    It is fetched from its repository, or from another `source`: a folder, such as a clone, or the URL of a
    .tar.gz. A file is taken only if its SHA-256 is the published one, and the folder appears complete or not
    at all. Raises ConfigError for a `source` that is neither, EvaluationError if the download fails, files
    are missing or differ, or the disk refuses.
    """
    place = source if source is not None else SOURCES[name].archive
    wanted = digests(name)
    found: dict[str, bytes] = {}
    others: set[str] = set()
    for task_id, content in task_files_at(place):
        if _sha256(content) == wanted.get(task_id):
            found[task_id] = content
        else:
            others.add(task_id)
        if len(found) == len(wanted):
            break
    _refuse_incomplete(name, place, wanted.keys() - found.keys(), others)
    folder = kept_folder(name)
    with _replaced(folder) as new:
        for task_id, content in found.items():
            write_file(new / f"{task_id}.yaml", content)
    return folder


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _refuse_incomplete(name: Name, place: str, missing: set[str], others: set[str]) -> None:
    if not missing:
        return
    count = len(digests(name))
    what = f"{len(missing)} of {count} task files are missing (the first: {min(missing)})"
    if differ := missing & others:
        what = f"{len(differ)} of {count} task files differ from the published ones "
        what += f"(the first: {min(differ)}, expected SHA-256 {digests(name)[min(differ)]})"
    origin = f"{SOURCES[name].folder} of {SOURCES[name].repository}"
    raise EvaluationError(f"{place}: {what}; nothing was kept. The battery {name} is {origin}")


@contextmanager
def _replaced(folder: Path) -> Iterator[Path]:
    """Provide a new folder that replaces `folder` when the block succeeds. It is next to it."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as temporary:
            new, old = Path(temporary, "new"), Path(temporary, "old")
            new.mkdir()
            yield new
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
    except OSError as error:
        reason = error.strerror or os.strerror(error.errno or 0)
        raise EvaluationError(f"{folder}: cannot be written ({reason})") from None
