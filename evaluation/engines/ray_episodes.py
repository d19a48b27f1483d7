"""A backend of Ray workers: if one is lost, its episodes are replayed on another."""

import platform
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from arena.errors import EvaluationError
from evaluation.suite import Environment, EpisodeSetup, Observation, Player, Record


def check_software(asked: Mapping[str, str], here: Mapping[str, str]) -> None:
    """Raises EvaluationError if this machine's software is not that of the run."""
    for name, value in here.items():
        if asked.get(name) != value:
            raise _other(name, value, asked.get(name))


def check_renderer(asked: str | None, here: str | None) -> None:
    """Raises EvaluationError where this machine draws with something else than the one that asks it."""
    if here is not None and here != asked:
        raise _other("pictures by", here, asked)


def _other(name: str, here: str, asked: str | None) -> EvaluationError:
    return EvaluationError(
        f"{platform.node()} has {name} {here}, and this run needs {asked}, or its results could differ; use "
        "the same on every machine of the cluster"
    )


Made = TypeVar("Made")

LEAVE_SECONDS = 10.0
"""So long threads whose workers were ended may take to notice it."""


class Call(NamedTuple):
    """A method of `Environment` and its arguments."""

    method: str
    arguments: tuple[str, ...] = ()


class Answer(NamedTuple):
    """What a call returned, and what offline agents may know of the episode after it."""

    made: Any
    known: Any


class Worker:
    """A process that plays episodes, each begun and played on by calls."""

    def __init__(self, renderer: str | None) -> None:
        self._renderer = renderer
        self._environments: dict[str, Environment] = {}

    def replay(self, key: str, setup: EpisodeSetup, versions: Mapping[str, str], calls: list[Call]) -> Answer:
        """Begin an episode and make all its calls; the answer is the last one's."""
        check_software(versions, setup.suite.versions())
        self._environments[key] = setup.suite.open(setup)
        for call in calls[:-1]:
            self.play(key, call)
        return self.play(key, calls[-1])

    def play(self, key: str, call: Call) -> Answer:
        """Make one call of an episode."""
        environment = self._environments[key]
        made = getattr(environment, call.method)(*call.arguments)
        if isinstance(made, Observation):
            check_renderer(self._renderer, made.drawn_by)
        return Answer(made, environment.known)

    def end(self, key: str) -> None:
        """Free an episode's resources."""
        environment = self._environments.pop(key, None)
        if environment is not None:
            environment.close()

    def call(self, function: Callable[[], Made], versions: Mapping[str, str], setup: EpisodeSetup) -> Made:
        """Call a function in this process."""
        check_software(versions, setup.suite.versions())
        return function()


class WorkerSlot:
    """A slot in the cluster for one worker; if that is lost, the next takes its place."""

    def __init__(self, acquire: Callable[[int], Any]) -> None:
        self._acquire, self._lock = acquire, threading.Lock()
        self.worker = acquire(1)
        self.episodes = 0

    def replace(self, lost: Any) -> None:
        """Acquire another worker, unless another thread has done so already."""
        with self._lock:
            if self.worker is lost:
                # It waits for no core: that of the lost one may have gone with its machine.
                self.worker = self._acquire(0)


class RayBackend:
    """Episodes played by `jobs` workers of a Ray cluster, acquired as they are needed."""

    remote = True

    def __init__(self, ray: Any, jobs: int, retries: int, renderer: str | None = None) -> None:
        self.ray, self._jobs, self.retries = ray, jobs, retries
        self._lock = threading.Condition()
        self._slots: list[WorkerSlot] = []
        self._calls, self._closed = 0, False
        self._renderer = renderer

    def open(self, setup: EpisodeSetup) -> "RayEpisode":
        """Begin an episode at the worker that has fewest."""
        with self.calling():
            return RayEpisode(self, self._slot(), setup)

    def compute(self, environment: Environment, function: Callable[[], Made]) -> Made:
        """Call a function in the worker that plays an episode."""
        assert isinstance(environment, RayEpisode)
        return environment.call(function)

    def play(self, player: Player, setup: EpisodeSetup) -> Record:
        """Let an agent play a whole episode in a worker."""
        from functools import partial

        episode = self.open(setup)
        try:
            return episode.call(partial(player.play, setup))
        finally:
            episode.close()

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
        """End the workers, and wait for threads that were abandoned: Ray's end would end their process."""
        with self._lock:
            self._closed = True
            for slot in self._slots:
                with suppress(self.ray.exceptions.RayError):
                    self.ray.kill(slot.worker)
            self._lock.wait_for(lambda: not self._calls, LEAVE_SECONDS)

    def leave(self, slot: WorkerSlot) -> None:
        """Note that an episode of a slot is over."""
        with self._lock:
            slot.episodes -= 1

    def _slot(self) -> WorkerSlot:
        with self._lock:
            free = min(self._slots, key=lambda slot: slot.episodes, default=None)
            if len(self._slots) < self._jobs and (free is None or free.episodes):
                self._slots.append(free := WorkerSlot(self._acquired))
            assert free is not None, "there is at least one job"
            free.episodes += 1
        return free

    def _acquired(self, cores: int) -> Any:
        """A new worker that reserves `cores` of the cluster."""
        worker = self.ray.remote(Worker).options(num_cpus=cores, max_restarts=0, scheduling_strategy="SPREAD")
        return worker.remote(self._renderer)


class RayEpisode:
    """An episode at a worker. All its calls are kept, so that another worker can make them again."""

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
        shown: Observation = self._play("begin")
        return shown

    def reply(self, text: str) -> Observation:
        """Play a reply."""
        shown: Observation = self._play("reply", text)
        return shown

    def refuse(self, text: str, reason: str) -> Observation:
        """Count a reply that cannot be played."""
        shown: Observation = self._play("refuse", text, reason)
        return shown

    def finish(self) -> Record:
        """End the episode."""
        record: Record = self._play("finish")
        self.close()
        return record

    def close(self) -> None:
        """Free the resources."""
        if self._over:
            return
        self._over = True
        self._backend.leave(self._slot)
        if self._worker is not None:
            # Nobody waits for it: a worker that is lost has nothing to free.
            with suppress(self._backend.ray.exceptions.RayError, EvaluationError), self._backend.calling():
                self._worker.end.remote(self._key)

    def call(self, function: Callable[[], Made]) -> Made:
        """Call a function in the worker's process, again in another's if it is lost."""
        made: Made = self._retried(lambda worker: worker.call.remote(function, self._versions, self._setup))
        return made

    def _play(self, method: str, *arguments: str) -> Any:
        self._calls.append(Call(method, arguments))
        answer: Answer = self._retried(self._asked)
        self.known = answer.known
        return answer.made

    def _asked(self, worker: Any) -> Any:
        if worker is self._worker:
            return worker.play.remote(self._key, self._calls[-1])
        self._worker = worker
        return worker.replay.remote(self._key, self._setup, self._versions, self._calls)

    def _retried(self, ask: Callable[[Any], Any]) -> Any:
        """What a worker answers; the next one is asked if it is lost."""
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
                    self._slot.replace(worker)
        raise EvaluationError(
            f"{self._setup.task.id}: the process that played it was killed from outside "
            f"{self._backend.retries + 1} times ({reason}), so it is not retried; does it need more memory "
            "than is available? Try a smaller --jobs"
        )
