"""Files of an archive or a folder, one after another, within bounds."""

import gzip
import http.client
import re
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple, Protocol
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, build_opener, getproxies

from arena import ConfigError
from arena.errors import EvaluationError
from arena.files import read_bytes

TIMEOUT_S = 30.0
"""Seconds without any byte after which a server counts as silent."""

MOST_BYTES = 4_000_000_000
"""Maximum size of an archive when unpacked; the two repositories have less than a tenth of it."""

MOST_TASK_BYTES = 1_000_000
"""Maximum size of a task file; the largest published one has less than a hundredth of it."""

_TASK_FILE = re.compile(r"\d{2}-\d{2}-\d{2}\.yaml")


class TaskFile(NamedTuple):
    """A task's id and the bytes of its file."""

    task_id: str
    content: bytes


def task_files_at(source: str) -> Iterator[TaskFile]:
    """Every file named LL-TT-VV.yaml of a folder, or of the .tar.gz at a URL, wherever it lies therein.

    Nothing is written. Raises ConfigError if there is no such folder, EvaluationError if a server or
    an archive fails.
    """
    scheme = urlsplit(source).scheme
    if scheme in ("http", "https"):
        yield from _downloaded(source)
    elif "://" in source or not Path(source).is_dir():
        raise ConfigError(f"{source}: expected a folder of task files, or a URL (https://...) of a .tar.gz")
    else:
        yield from _in_folder(Path(source))


def _in_folder(folder: Path) -> Iterator[TaskFile]:
    for path in sorted(folder.rglob("*.yaml")):
        if _TASK_FILE.fullmatch(path.name):
            try:
                yield TaskFile(path.stem, read_bytes(path, MOST_TASK_BYTES))
            except OSError as error:
                raise EvaluationError(f"{path}: cannot be read ({error.strerror or error})") from None


def _downloaded(url: str) -> Iterator[TaskFile]:
    try:
        request = Request(url, headers={"User-Agent": "arena-llm"})
        with build_opener().open(request, timeout=TIMEOUT_S) as answer:
            yield from _unpacked(url, answer)
    except HTTPError as error:
        raise _refused(url, f"the server answered {error.code} {error.reason}") from None
    except TimeoutError:
        raise _refused(url, f"no answer for {TIMEOUT_S:g} s") from None
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


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class _Bounded:
    """A stream that ends with an error after `MOST_BYTES`."""

    def __init__(self, stream: _Readable) -> None:
        self._stream, self._left = stream, MOST_BYTES

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes of the stream."""
        content = self._stream.read(size)
        self._left -= len(content)
        if self._left < 0:
            raise tarfile.ReadError(f"it unpacks to more than {MOST_BYTES:,} bytes")
        return content


def _unpacked(url: str, answer: IO[bytes]) -> Iterator[TaskFile]:
    """The task files of a gzipped tar stream; every other member is passed over."""
    try:
        with (
            gzip.GzipFile(fileobj=answer, mode="rb") as plain,
            tarfile.open(fileobj=_Bounded(plain), mode="r|") as members,  # type: ignore[call-overload]
        ):
            for member in members:
                name = PurePosixPath(member.name).name
                if member.isfile() and _TASK_FILE.fullmatch(name) and member.size <= MOST_TASK_BYTES:
                    content = members.extractfile(member)
                    yield TaskFile(name.removesuffix(".yaml"), content.read() if content else b"")
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise EvaluationError(
            f"{url}: expected a whole archive in .tar.gz format, got something else ({error}); try again"
        ) from None
