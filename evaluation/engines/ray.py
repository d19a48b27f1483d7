"""Ray: work and episodes on local or cluster processes, despite their failures."""

import os
import platform
import shutil
import socket
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeVar
from uuid import uuid4

from arena.errors import EvaluationError, first_line
from arena.processes import AHEAD, Engine, cores
from arena.recording import software_versions
from evaluation.engines.backend import Backend
from evaluation.suite import Environment, EpisodeSetup, Observation, Player, Record


def check_software(asked: Mapping[str, str], here: Mapping[str, str]) -> None:
    """Raise EvaluationError if this machine's software differs from the run's."""
    for name, value in here.items():
        if asked.get(name) != value:
            raise EvaluationError(
                f"{platform.node()} has {name} {value}, and this run needs {asked.get(name)}, or its results "
                "could differ; use the same on every machine of the cluster"
            )


Made = TypeVar("Made")

LEAVE_SECONDS = 10.0
"""Seconds in which threads must notice that their workers ended."""


Call = Callable[[Environment], Any]
"""Call of an environment: a method or a function of it."""


class Worker:
    """Process that plays episodes by calls. Each answer also has what offline agents may know of the episode
    after the call."""

    def __init__(self) -> None:
        self._environments: dict[str, Environment] = {}

    def replay(
        self, key: str, setup: EpisodeSetup, versions: Mapping[str, str], calls: list[Call]
    ) -> tuple[Any, Any]:
        """Begin an episode, repeat its calls, and return the last answer."""
        check_software(versions, setup.suite.versions())
        self._environments[key] = setup.suite.open(setup)
        for call in calls[:-1]:
            self.play(key, call)
        return self.play(key, calls[-1])

    def play(self, key: str, call: Call) -> tuple[Any, Any]:
        """Make one call of an episode."""
        environment = self._environments[key]
        return call(environment), environment.known

    def end(self, key: str) -> None:
        """Free an episode's resources."""
        environment = self._environments.pop(key, None)
        if environment is not None:
            environment.close()

    def call(self, function: Callable[[], Made], versions: Mapping[str, str], setup: EpisodeSetup) -> Made:
        """Call a function in this process."""
        check_software(versions, setup.suite.versions())
        return function()


@dataclass
class WorkerSlot:
    """Cluster slot for one worker, which is replaced if lost."""

    worker: Any
    episodes: int = 0


class RayBackend(Backend):
    """Plays episodes by up to `jobs` Ray workers, acquired on demand."""

    remote = True

    def __init__(self, ray: Any, jobs: int, retries: int) -> None:
        self.ray, self._jobs, self.retries = ray, jobs, retries
        self._lock = threading.Condition()
        self._slots: list[WorkerSlot] = []
        self._calls, self._closed = 0, False

    def open(self, setup: EpisodeSetup) -> "RayEpisode":
        """Open an episode at the worker with the fewest."""
        with self.calling():
            return RayEpisode(self, self._slot(), setup)

    def compute(self, environment: Environment, function: Callable[[Any], Made]) -> Made:
        """Call a function of the environment in its worker."""
        assert isinstance(environment, RayEpisode)
        return environment.played(function)

    def play(self, player: Player, setup: EpisodeSetup) -> Record:
        """Let an agent play a whole episode in a worker."""
        with closing(self.open(setup)) as episode:
            return episode.call(partial(player.play, setup))

    @contextmanager
    def calling(self) -> Generator[None, None, None]:
        """Let a thread call Ray. Raises EvaluationError once the backend is closed."""
        with self._lock:
            if self._closed:
                raise EvaluationError("the run was stopped")
            self._calls += 1
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1
                self._lock.notify_all()

    def close(self) -> None:
        """End workers and wait for abandoned threads, as Ray's end kills them."""
        with self._lock:
            self._closed = True
            for slot in self._slots:
                with suppress(self.ray.exceptions.RayError):
                    self.ray.kill(slot.worker)
            self._lock.wait_for(lambda: not self._calls, LEAVE_SECONDS)

    def replace(self, slot: WorkerSlot, lost: Any) -> None:
        """Acquire another worker, unless already replaced or the backend is closed."""
        with self._lock:
            if slot.worker is lost and not self._closed:
                # Waits for no core: the lost worker's may have gone with its machine.
                slot.worker = self._acquired(0)

    def leave(self, slot: WorkerSlot) -> None:
        """Note that an episode of a slot is over."""
        with self._lock:
            slot.episodes -= 1

    def _slot(self) -> WorkerSlot:
        with self._lock:
            free = min(self._slots, key=lambda slot: slot.episodes, default=None)
            if len(self._slots) < self._jobs and (free is None or free.episodes):
                self._slots.append(free := WorkerSlot(self._acquired(1)))
            assert free is not None, "there is at least one job"
            free.episodes += 1
        return free

    def _acquired(self, cores: int) -> Any:
        """Acquire a worker that reserves `cores` of the cluster."""
        worker = self.ray.remote(Worker).options(num_cpus=cores, max_restarts=0, scheduling_strategy="SPREAD")
        return worker.remote()


class RayEpisode:
    """Episode at a worker, with its calls kept for repeating elsewhere."""

    def __init__(self, backend: RayBackend, slot: WorkerSlot, setup: EpisodeSetup) -> None:
        self._backend, self._slot, self._setup = backend, slot, setup
        self._versions = setup.suite.versions()
        self._key = uuid4().hex
        self._calls: list[Call] = []
        self._worker: Any = None
        self._over = False
        self.known: Any = ()

    def begin(self) -> Observation:
        """The first observation."""
        return self.played(lambda played: played.begin(), kept=True)

    def reply(self, text: str) -> Observation:
        """Play a reply."""
        return self.played(lambda played: played.reply(text), kept=True)

    def refuse(self, text: str, reason: str) -> Observation:
        """Count a reply that cannot be played."""
        return self.played(lambda played: played.refuse(text, reason), kept=True)

    def finish(self) -> Record:
        """End the episode."""
        record = self.played(lambda played: played.finish(), kept=True)
        self.close()
        return record

    def close(self) -> None:
        """Free the resources."""
        if self._over:
            return
        self._over = True
        self._backend.leave(self._slot)
        if self._worker is not None:
            # Not awaited: a lost worker has nothing to free.
            with suppress(self._backend.ray.exceptions.RayError, EvaluationError), self._backend.calling():
                self._worker.end.remote(self._key)

    def call(self, function: Callable[[], Made]) -> Made:
        """Call a function in the worker's process, again in another if lost."""
        return self._retried(lambda worker: worker.call.remote(function, self._versions, self._setup))

    def played(self, call: Callable[[Environment], Made], kept: bool = False) -> Made:
        """Call at a worker; a new worker repeats the `kept` calls first."""
        made: Made
        made, self.known = self._retried(partial(self._asked, call))
        self._calls += [call] if kept else []
        return made

    def _asked(self, call: Call, worker: Any) -> Any:
        if worker is self._worker:
            return worker.play.remote(self._key, call)
        self._worker = worker
        return worker.replay.remote(self._key, self._setup, self._versions, [*self._calls, call])

    def _retried(self, ask: Callable[[Any], Any]) -> Any:
        """Ask a worker; ask the next one if it is lost."""
        ray, reason = self._backend.ray, ""
        for _ in range(self._backend.retries + 1):
            worker = self._slot.worker
            with self._backend.calling():
                try:
                    return ray.get(ask(worker))
                except ray.exceptions.RayTaskError as error:
                    raise error.cause from None
                except ray.exceptions.RayActorError as error:
                    reason = type(error).__name__
                    self._backend.replace(self._slot, worker)
        raise EvaluationError(
            f"{self._setup.task.id}: the process that played it was killed "
            f"{self._backend.retries + 1} times ({reason}), so it is not retried; does it need more memory "
            "than is available? Try a smaller --jobs"
        )


Given = TypeVar("Given")

RETRIES = 3
"""Retries of a task after losing its process or machine (Ray's default)."""

STORE_BYTES = 100 * 2**20
"""Result memory of a local cluster in bytes. Ray's minimum is 75 MiB."""

ANSWER_SECONDS = 10.0
"""Seconds in which a cluster must accept a connection."""

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_task_oom_retries": str(RETRIES),
    "RAY_ENABLE_AUTO_CONNECT": "0",
}
"""Ray's settings by default. No usage reports, graphics cards unchanged (they may render), no retry of a task
that needs too much memory, and no restart by a thread that still calls it after its end."""


class RayEngine(Engine):
    """Processes of a running Ray cluster, or of a temporary local one.

    `address` is that of a running cluster, "auto" for this machine's own; None starts a cluster here. `jobs`
    is the number of concurrent tasks; None means all cores. Raises EvaluationError if Ray is not installed or
    cannot start, or the cluster does not answer.
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
        """Start a private local cluster, whose files are in a temporary folder."""
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
        except Exception as error:  # a read-only home, no room, too few processes allowed
            raise EvaluationError(
                f"--engine ray: Ray cannot start on this machine ({first_line(error)}); "
                "`ray start --head` says more, and --engine local does without it"
            ) from None

    def _join(self, address: str) -> None:
        check_answers(address)
        try:
            self._ray.init(address, log_to_driver=False, logging_level="error")
        except Exception as error:  # cluster faults can surface anywhere in Ray
            raise _no_cluster(address, first_line(error)) from None

    def episodes(self) -> RayBackend:
        """Make a backend of `jobs` workers (default: the cluster's cores)."""
        # A worker keeps its core until the command ends: one too many would wait forever.
        return RayBackend(self._ray, min(self.jobs, self._cores), RETRIES)

    def in_order(
        self,
        function: Callable[[Given], Made],
        items: Iterable[Given],
        jobs: int,
        named: Callable[[Given], str] = str,
    ) -> Generator[Made, None, None]:
        """Map as `arena.processes.in_order`, but retry a task whose process was killed. Raises
        EvaluationError that names the item after `RETRIES` + 1 failures."""
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
            for made, _ in waiting:
                with suppress(ray.exceptions.RayError, ValueError):
                    ray.cancel(made, force=True)

    def _result(self, made: Any, item: Given, named: Callable[[Given], str]) -> Any:
        exceptions = self._ray.exceptions
        try:
            return self._ray.get(made)
        except exceptions.RayTaskError as error:
            raise error.cause from None
        except exceptions.RayError as error:
            reason = type(error).__name__
            raise EvaluationError(
                f"{named(item)}: its process was killed {RETRIES + 1} times ({reason}), so it is "
                "not retried; does it need more memory than is available? Try a smaller --jobs"
            ) from None

    def close(self) -> None:
        """Leave the cluster. A local one ends, with all its processes and files."""
        self._ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _imported() -> Any:
    try:
        import ray
    except ImportError as error:
        raise EvaluationError(f"--engine ray needs Ray ({error}): pip install 'arena-llm[ray]'") from None
    if ray.is_initialized():
        raise EvaluationError("--engine ray: this process uses Ray already; end that with ray.shutdown()")
    return ray


def check_answers(address: str) -> None:
    """Raise EvaluationError if nothing answers immediately; Ray itself retries for minutes."""
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


def _no_cluster(address: str, reason: str) -> EvaluationError:
    return EvaluationError(
        f"--ray-address {address}: no Ray cluster could be joined there ({reason}); start one by "
        "`ray start --head`, or leave the address out for one on this machine; if it needs a token, set "
        "RAY_AUTH_MODE=token and have the same ~/.ray/auth_token on every machine"
    )


def _store_folder() -> str | None:
    """Folder of results in transit: None for sufficient shared memory."""
    with suppress(OSError):
        if shutil.disk_usage("/dev/shm").free > 2 * STORE_BYTES:
            return None
    return tempfile.gettempdir()


def _done(shared: tuple[Callable[[Given], Made], dict[str, str]], item: Given) -> Made:
    """Run a task in a worker, after checking the caller's software."""
    function, versions = shared
    check_software(versions, software_versions())
    return function(item)
