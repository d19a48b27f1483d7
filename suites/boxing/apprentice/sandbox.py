"""Runs a model's program in a confined process, and reports the result."""

import errno
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import anyio
from anyio.abc import Process
from anyio.lowlevel import RunVar

from arena.errors import EvaluationError
from arena.packages import OURS
from suites.boxing.apprentice import confine

_ENVIRONMENT = {
    **{name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")},
    # Compiles by Numba in this process, so that no compiler of C is needed, which no program may start.
    "PYTENSOR_FLAGS": "cxx=,mode=NUMBA",
    "LANG": "C.UTF-8",
}


@dataclass(frozen=True)
class Limits:
    """Resource limits of a program.

    `seconds` of the wall clock (one more of processor time); bytes of `memory` (addresses), of a `file` and
    of all `files` in its `folder`, with their number; `characters` of its output that are shown.
    """

    seconds: int = 120
    memory: int = 4 << 30
    file: int = 16 << 20
    folder: int = 64 << 20
    files: int = 2000
    characters: int = 4000


class Ran(NamedTuple):
    """Result of a program: success, output or reason of its end, and seconds."""

    worked: bool
    text: str
    seconds: float


_places: RunVar[anyio.CapacityLimiter | None] = RunVar("programs", None)
"""Limit of one concurrent program per core."""


def check_confinement() -> None:
    """Raise EvaluationError if this machine cannot confine a program."""
    if (reason := confine.lacking()) is not None:
        raise EvaluationError(f"programs of a model are not run unless they can be confined: {reason}")


async def run_confined(
    program: str,
    variables: Mapping[str, Any] | None = None,
    then: str | None = None,
    limits: Limits = Limits(),
) -> Ran:
    """Run a program, then the function `main` of a second one.

    The second gets all variables of the first. The program has an empty private folder, which is removed
    afterwards. Raises EvaluationError if this machine cannot confine it.
    """
    check_confinement()
    if (places := _places.get()) is None:
        places = anyio.CapacityLimiter(len(os.sched_getaffinity(0)))
        _places.set(places)
    job = {
        "program": program,
        "then": then,
        "variables": dict(variables or {}),
        "limits": {**asdict(limits), "seconds": limits.seconds + 1},
        # They have the worlds and the answers.
        "hidden": OURS,
    }
    async with places:
        with (
            _private_folder() as folder,
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as output,
        ):
            given.write(json.dumps(job).encode())
            given.seek(0)
            began = time.monotonic()
            why, said = await _ended(folder, given, output, limits)
            if said != confine.CONFINED and isinstance(why, int):
                output.seek(0)
                problem = f"{said}\n{output.read(limits.characters).decode('utf-8', 'replace')}".strip()
                raise EvaluationError(f"the program could not be confined: {problem}")
            return _came_of(output, why, limits, time.monotonic() - began)


async def _ended(folder: str, given: IO[bytes], output: IO[bytes], limits: Limits) -> tuple[str | int, str]:
    """Run to the end; return the status, or the exceeded limit. A negative status is a signal. The second
    text is the process's message on its confinement."""
    reading, writing = os.pipe()
    try:
        try:
            process = await _started(folder, given, output, writing)
        finally:
            os.close(writing)
        try:
            ended = await _watched(process, folder, limits)
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                with anyio.CancelScope(shield=True):
                    await process.wait()
        return ended, os.read(reading, 1000).decode("utf-8", "replace")
    finally:
        os.close(reading)


async def _started(folder: str, given: IO[bytes], output: IO[bytes], pipe: int) -> Process:
    # Isolated from the user's environment and folders; no byte code, buffer or warnings; UTF-8.
    options = ["-I", "-B", "-u", "-W", "ignore", "-X", "utf8"]
    command = [sys.executable, *options, str(Path(confine.__file__).resolve()), str(pipe)]
    environment = {**_ENVIRONMENT, "HOME": folder, "TMPDIR": folder, "MPLCONFIGDIR": folder}
    return await anyio.open_process(
        command,
        stdin=given,
        stdout=output,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=environment,
        start_new_session=True,
        pass_fds=(pipe,),
    )


async def _watched(process: Process, folder: str, limits: Limits) -> str | int:
    end = time.monotonic() + limits.seconds
    while process.returncode is None:
        if time.monotonic() > end:
            return f"It was stopped after {limits.seconds} s."
        if _overfull(folder, limits):
            return f"It was stopped: its folder may have {limits.files} files and {limits.folder >> 20} MiB."
        await anyio.sleep(0.05)
    return process.returncode


def _overfull(folder: str, limits: Limits) -> bool:
    """Return whether a folder has too many, too large, or too deep files."""
    folders, entries, size = [folder], 0, 0
    while folders:
        try:
            for each in os.scandir(folders.pop()):
                entries += 1
                size += each.stat(follow_symlinks=False).st_size
                if each.is_dir(follow_symlinks=False):
                    folders.append(each.path)
        except OSError as error:
            # Files of a running program come and go.
            if error.errno == errno.ENAMETOOLONG:
                return True
        if entries > limits.files or size > limits.folder:
            return True
    return False


@contextmanager
def _private_folder() -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix="program-")
    try:
        yield folder
    finally:
        # Python's own removal recurses, and a program can make folders deeper than that goes.
        subprocess.run(["rm", "-rf", folder], check=False, stderr=subprocess.DEVNULL)


def _came_of(output: IO[bytes], ended: str | int, limits: Limits, seconds: float) -> Ran:
    output.seek(0)
    printed = output.read(limits.file).decode("utf-8", "replace")
    text, most = printed.strip(), limits.characters
    if len(text) > most:
        text = f"{text[: most // 2]}\n[... {len(text) - most} characters ...]\n{text[-most // 2 :]}"
    said = [text]
    if isinstance(ended, str):
        said.append(ended)
    elif ended == -signal.SIGXCPU:
        said.append(f"It was stopped after {limits.seconds + 1} s of processor time.")
    elif ended < 0:
        said.append(f"It crashed ({signal.Signals(-ended).name}).")
    return Ran(ended == 0, "\n".join(filter(None, said)), seconds)
