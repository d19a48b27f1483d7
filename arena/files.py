"""Bounded reading of the user's files, and atomic writing of outputs.

Outputs appear complete or not at all. Inputs must be regular files: a pipe could wait for ever, and a device
such as /dev/zero never ends. Outputs replace only regular files: pipes and devices are written into, and
links are followed.
"""

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.errors import ConfigError, EvaluationError, MissingFileError

_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}

MAX_BYTES = 8_000_000
"""Maximum size of a text file. A thousand times a long task file."""

MAX_DATA_BYTES = 1_000_000_000
"""Maximum size of a picture, a table or a learned policy."""


def read_text(path: str | Path) -> str:
    """Read the text of a user's file with its line ends.

    Raises ConfigError if it cannot be read, is no regular file, is larger than MAX_BYTES or not UTF-8, and
    MissingFileError, a ConfigError, if there is no such file.
    """
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        kind = MissingFileError if isinstance(error, FileNotFoundError) else ConfigError
        raise kind(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a path with a null character
        raise ConfigError(f"{str(path)!r}: cannot be read: {error}") from None


def read_bytes(path: str | Path, most: int = MAX_BYTES) -> bytes:
    """Read a regular file of at most `most` bytes. Raises OSError if it cannot be read, ValueError for a path
    that no file can have."""
    # Without O_NONBLOCK, opening a pipe would wait for its writer.
    with open(path, "rb", buffering=0, opener=_without_waiting) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            kind = _KINDS.get(stat.S_IFMT(found.st_mode), "a device")
            raise OSError(f"it is {kind}, expected a regular file")
        # Files of /proc have the size 0 and a content.
        content = file.read(min(found.st_size, most) + 1)
        while more := file.read(65536) if content and len(content) <= most else b"":
            content += more
    if len(content) > most:
        raise OSError(f"it has more than {most:,} bytes, the maximum for such a file")
    return content


def file_sha256(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal, whatever its size. Raises OSError if it cannot be read."""
    with open(path, "rb", opener=_without_waiting) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _without_waiting(path: str, flags: int) -> int:
    # Windows has neither flag.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Provide a temporary path that replaces `path` when the block succeeds.

    It has the same suffix and is removed if the block fails or is interrupted. Missing folders are created. A
    file that is replaced keeps its mode; if `path` is a link, its target is written. A path that is no
    regular file, such as a pipe, receives the content. Raises EvaluationError if the file cannot be written.
    """
    with _refusing(path):
        writing = _written_into(path) if _is_special(path) else _replaced(Path(os.path.realpath(path)))
        with writing as temporary:
            yield temporary


def write_file(path: Path, content: bytes | str) -> None:
    """Write a whole file, text as UTF-8. Raises as `atomic_file` does."""
    with atomic_file(path) as temporary:
        temporary.write_bytes(content if isinstance(content, bytes) else content.encode())


class AppendedFile:
    """A growing text file, such as a log. The first line replaces an existing file. Lines reach the disk in
    blocks of `BLOCK` lines, and by `flush`."""

    BLOCK = 100

    def __init__(self, path: Path) -> None:
        """Check the path; raises EvaluationError if the file cannot be written."""
        check_output(path)
        self._path, self._lines, self._is_new = path, list[str](), True

    def write(self, line: str) -> None:
        """Append a line, with its line end. Raises EvaluationError if it cannot be written."""
        self._lines.append(line)
        if len(self._lines) >= self.BLOCK:
            self.flush()

    def flush(self) -> None:
        """Write all lines to the disk. Raises as `write` does."""
        if self._is_new:
            write_file(self._path, "")
        with _refusing(self._path), open(self._path, "a", encoding="utf-8") as file:
            file.writelines(self._lines)
        self._is_new = False
        self._lines.clear()


def check_output(path: Path | None) -> None:
    """Raise EvaluationError if an output cannot be written, before work begins. Nothing is created or
    changed; None is accepted, for an output that is not wanted."""
    if path is None:
        return
    with _refusing(path):
        if _is_special(path):
            _check_access(path)
        else:
            target = Path(os.path.realpath(path))
            _check_replaceable(target)
            _check_can_create_in(target.parent)


def check_output_folder(folder: Path | None) -> None:
    """Check an output folder, which may be missing, as `check_output` does."""
    if folder is None:
        return
    if folder.exists() and not folder.is_dir():
        raise EvaluationError(f"{folder}: is a file, expected a folder to write to")
    with _refusing(folder):
        _check_can_create_in(Path(os.path.realpath(folder)))


def _check_can_create_in(folder: Path) -> None:
    """Raise OSError if no file can be created in a folder. Missing ones count as their parents."""
    with tempfile.TemporaryFile(dir=next(each for each in (folder, *folder.parents) if each.exists())):
        pass


def _is_special(path: Path) -> bool:
    """Return whether a path is not regular, or below /dev or /proc. /dev/stdout may be a regular file: the
    command's own output goes there as well."""
    if not path.exists() or path.is_dir():
        return False
    return not path.is_file() or Path(os.path.abspath(path)).parts[1:2] in (("dev",), ("proc",))


@contextmanager
def _written_into(path: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="arena-llm-") as folder:
        temporary = Path(folder) / f"content{path.suffix}"
        temporary.touch()
        yield temporary
        with temporary.open("rb") as content, path.open("ab") as file:
            shutil.copyfileobj(content, file)


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    _check_replaceable(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        temporary.touch()
        if path.exists():
            _copy_access(path, temporary)
        yield temporary
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _check_replaceable(path: Path) -> None:
    if path.is_dir():
        raise OSError("is a folder, expected the name of a file to write")
    if path.is_file():
        _check_access(path)


def _check_access(path: Path) -> None:
    if not os.access(path, os.W_OK):
        raise PermissionError(None, "Permission denied")


def _copy_access(path: Path, copy: Path) -> None:
    """Give a copy a file's mode and, if permitted, its owner."""
    found = path.stat()
    copy.chmod(0o600)
    with suppress(PermissionError, AttributeError):  # Windows has no chown.
        os.chown(copy, found.st_uid, found.st_gid)
    copy.chmod(stat.S_IMODE(found.st_mode))


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Raise EvaluationError for errors that keep a path from being written."""
    try:
        yield
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be written ({error.strerror or error})") from None
