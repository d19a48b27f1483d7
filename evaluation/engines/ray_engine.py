"""Ray as the engine: work on processes of this machine or a cluster, whatever becomes of one of them."""

import os
import shutil
import socket
import tempfile
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from itertools import islice
from typing import Any, TypeVar

from arena.errors import EvaluationError
from arena.processes import AHEAD, cores
from arena.recording import software_versions
from evaluation.engines.ray_episodes import RayBackend, check_software

Given = TypeVar("Given")
Made = TypeVar("Made")

RETRIES = 3
"""Number of times that a task is retried whose process or machine was lost: Ray's own default for tasks."""

STORE_BYTES = 100 * 2**20
"""Memory for results under way of a cluster of our own; Ray takes no less than 75 MiB."""

ANSWER_SECONDS = 10.0
"""So long a cluster may take to accept a connection."""

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_task_oom_retries": str(RETRIES),
    "RAY_ENABLE_AUTO_CONNECT": "0",
}
"""Settings of Ray where the user has none: it reports to nobody, leaves graphics cards as they are (pictures
may be drawn there), gives up on a task that needs more memory than there is, and does not start again for
a thread that still calls it after its end."""


class RayEngine:
    """Processes of a Ray cluster: of a running one, or of one on this machine that ends with this object.

    `address` is that of a running cluster, "auto" for the one that this machine belongs to; None starts a
    cluster here. `jobs` is the number of tasks at work at a time; None means all cores. Raises
    EvaluationError where Ray is not installed or cannot start, or the cluster does not answer.
    """

    def __init__(self, address: str | None = None, jobs: int | None = None) -> None:
        self._folder: str | None = None
        for name, value in _QUIET.items():
            os.environ.setdefault(name, value)
        self._ray = _imported()
        try:
            if address is None:
                self._begin(jobs or cores())
            else:
                self._join(address)
        except BaseException:
            self.close()
            raise
        self._cores = max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
        self.jobs: int = jobs or self._cores

    def _begin(self, jobs: int) -> None:
        """A cluster of this machine that nothing else finds, with its files in a folder that goes with it."""
        self._folder = tempfile.mkdtemp(prefix="arena-ray-", dir="/tmp" if os.name == "posix" else None)
        try:
            self._ray.init(
                "local",
                num_cpus=jobs,
                num_gpus=0,
                include_dashboard=False,
                log_to_driver=False,
                logging_level="error",
                object_store_memory=STORE_BYTES,
                _temp_dir=self._folder,
                _node_ip_address="127.0.0.1",
                _plasma_directory=_store_folder(),
            )
        except Exception as error:  # a home that cannot be written to, no room, too few processes allowed
            raise EvaluationError(
                f"--engine ray: Ray cannot start on this machine ({_first_line(error)}); "
                "`ray start --head` says more, and --engine local does without it"
            ) from None

    def _join(self, address: str) -> None:
        check_answers(address)
        try:
            self._ray.init(address, log_to_driver=False, logging_level="error")
        except Exception as error:  # what is wrong with a cluster fails anywhere in Ray
            raise _no_cluster(address, _first_line(error)) from None

    def episodes(self, renderer: str | None = None) -> RayBackend:
        """A backend of `jobs` workers, or as many as the cluster has cores; `renderer` is what draws here."""
        # A worker keeps its core until the command ends: one too many would wait for another's without end.
        return RayBackend(self._ray, min(self.jobs, self._cores), RETRIES, renderer)

    def in_order(
        self,
        function: Callable[[Given], Made],
        items: Iterable[Given],
        jobs: int,
        named: Callable[[Given], str] = str,
    ) -> Generator[Made, None, None]:
        """As `arena.processes.in_order`; a task whose process was killed is retried elsewhere.

        Raises EvaluationError that names the item where that happened `RETRIES` + 1 times.
        """
        ray = self._ray
        task = ray.remote(_done).options(num_cpus=1, max_retries=RETRIES, scheduling_strategy="SPREAD")
        shared, rest = ray.put((function, software_versions())), iter(items)
        waiting: deque[tuple[Any, Given]] = deque()
        running: list[Any] = []
        try:
            while True:
                free = min(jobs - len(running), AHEAD * jobs - len(waiting))
                begun = [(task.remote(shared, item), item) for item in islice(rest, free)]
                waiting += begun
                running += [made for made, _ in begun]
                if not waiting:
                    return
                if waiting[0][0] in running:
                    _, running = ray.wait(running, num_returns=1)
                else:
                    yield self._result(*waiting.popleft(), named)
        finally:
            self._cancel([made for made, _ in waiting])

    def _result(self, made: Any, item: Given, named: Callable[[Given], str]) -> Any:
        exceptions = self._ray.exceptions
        try:
            return self._ray.get(made)
        except exceptions.RayTaskError as error:
            raise error.cause from None
        except exceptions.RayError as error:
            reason = type(error).__name__
            raise EvaluationError(
                f"{named(item)}: its process was ended from outside {RETRIES + 1} times ({reason}), so it is "
                "not retried; does it need more memory than there is? Try fewer by --jobs"
            ) from None

    def _cancel(self, tasks: list[Any]) -> None:
        for task in tasks:
            with suppress(self._ray.exceptions.RayError, ValueError):
                self._ray.cancel(task, force=True)

    def close(self) -> None:
        """Leave the cluster; one of our own ends, with all its processes and files."""
        self._ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _imported() -> Any:
    try:
        import ray
    except ImportError as error:
        raise EvaluationError(f"--engine ray needs Ray ({error}): pip install 'arena-llm[ray]'") from None
    if ray.is_initialized():
        raise EvaluationError("--engine ray: this process uses Ray already; leave that with ray.shutdown()")
    return ray


def check_answers(address: str) -> None:
    """Raise EvaluationError if nothing answers immediately; Ray itself would try an address for minutes."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise EvaluationError(
            f"--ray-address: got {address!r}, expected HOST:PORT such as 10.0.0.5:6379, or auto"
        )
    try:
        socket.create_connection((host, int(port)), timeout=ANSWER_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise _no_cluster(address, str(error)) from None


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _no_cluster(address: str, reason: str) -> EvaluationError:
    return EvaluationError(
        f"--ray-address {address}: no Ray cluster could be joined there ({reason}); start one by "
        "`ray start --head`, or leave the address out for one on this machine; where it wants a token, set "
        "RAY_AUTH_MODE=token and have the same ~/.ray/auth_token on every machine"
    )


def _store_folder() -> str | None:
    """Where results in transit lie: None for shared memory, a folder if there is little of that."""
    with suppress(OSError):
        if shutil.disk_usage("/dev/shm").free > 2 * STORE_BYTES:
            return None
    return tempfile.gettempdir()


def _done(shared: tuple[Callable[[Given], Made], dict[str, str]], item: Given) -> Made:
    """What a worker does: the task, with the software of whoever asked for it."""
    function, versions = shared
    check_software(versions, software_versions())
    return function(item)
