"""Episodes of conversations in Ray's workers: lose one, and its episodes are replayed on another."""

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from arena import Action, ArenaSpec
from arena.errors import EvaluationError
from evaluation.engines.backend import HereStage, Setting, Shown
from evaluation.engines.same_software import check_renderer, check_software, versions_here
from llm_control.play import EpisodeRecord
from render.context import drawn_by

Made = TypeVar("Made")


class Call(NamedTuple):
    """A method of `HereStage` and its arguments."""

    method: str
    arguments: tuple[str, ...] = ()


class Answer(NamedTuple):
    """What a call returned, and the actions taken since the episode began."""

    made: Any
    actions: tuple[Action, ...]


class Worker:
    """A process that plays episodes, each begun and played on by calls."""

    def __init__(self, versions: Mapping[str, str], renderer: str | None) -> None:
        self._versions, self._renderer = versions, renderer
        self._stages: dict[str, HereStage] = {}

    def replay(self, key: str, setting: Setting, calls: list[Call]) -> Answer:
        """Begin an episode and make all its calls; the answer is the last one's."""
        check_software(self._versions)
        self._stages[key] = HereStage(setting)
        for call in calls[:-1]:
            self.play(key, call)
        return self.play(key, calls[-1])

    def play(self, key: str, call: Call) -> Answer:
        """Make one call of an episode."""
        stage = self._stages[key]
        made = getattr(stage, call.method)(*call.arguments)
        if isinstance(made, Shown):
            check_renderer(self._renderer, made.drawn_by)
        return Answer(made, stage.episode.actions)

    def end(self, key: str) -> None:
        """Free the physics of an episode."""
        stage = self._stages.pop(key, None)
        if stage is not None:
            stage.close()

    def call(self, function: Callable[..., Made], args: Any, options: Any) -> Made:
        """Call a function in this process."""
        return function(*args, **options)


class Post:
    """A place in the cluster for one worker; when it is lost, the next takes it."""

    def __init__(self, hire: Callable[[int], Any]) -> None:
        self._hire, self._lock = hire, threading.Lock()
        self.worker = hire(1)
        self.episodes = 0

    def replace(self, lost: Any) -> None:
        """Hire another worker, unless somebody else has done so already."""
        with self._lock:
            if self.worker is lost:
                # It waits for no core: that of the lost one may have gone with its machine.
                self.worker = self._hire(0)


class RayEpisodes:
    """A place for episodes: `jobs` workers of a Ray cluster, hired as they are needed."""

    far = True

    def __init__(self, ray: Any, jobs: int, retries: int) -> None:
        self.ray, self._jobs, self.retries = ray, jobs, retries
        self._lock = threading.Lock()
        self._posts: list[Post] = []
        # Asked here, because what draws belongs to the first thread, and workers are hired in others.
        self._drawn_by = drawn_by()

    def __call__(self, setting: Setting) -> "RayStage":
        """Begin an episode at the worker that has fewest."""
        with self._lock:
            free = min(self._posts, key=lambda post: post.episodes, default=None)
            if len(self._posts) < self._jobs and (free is None or free.episodes):
                self._posts.append(free := Post(self._hired))
            assert free is not None, "there is at least one job"
            free.episodes += 1
        return RayStage(self, free, setting)

    def _hired(self, cores: int) -> Any:
        """A new worker that keeps so many cores of the cluster for itself."""
        worker = self.ray.remote(Worker).options(num_cpus=cores, max_restarts=0, scheduling_strategy="SPREAD")
        return worker.remote(versions_here(), self._drawn_by)

    def leave(self, post: Post) -> None:
        """Say that an episode of a post is over."""
        with self._lock:
            post.episodes -= 1


class FarEpisode:
    """What is known here of an episode that a worker plays."""

    def __init__(self, setting: Setting) -> None:
        self.spec: ArenaSpec = setting.task.spec
        self.task_id, self.trial, self.seed = setting.task.id, setting.trial, setting.protocol.seed
        self.actions: tuple[Action, ...] = ()


class RayStage:
    """An episode at a worker. All its calls are kept, so that another worker can make them again."""

    def __init__(self, place: RayEpisodes, post: Post, setting: Setting) -> None:
        self._place, self._post, self._setting = place, post, setting
        self._key = uuid4().hex
        self._calls: list[Call] = []
        self._worker: Any = None
        self._over = False
        self.episode = FarEpisode(setting)

    def begin(self) -> Shown:
        """The idle steps before the first reply."""
        shown: Shown = self._play("begin")
        return shown

    def reply(self, text: str) -> Shown:
        """Play a reply."""
        shown: Shown = self._play("reply", text)
        return shown

    def refuse(self, text: str, problem: str) -> Shown:
        """Idle for one step, because a reply cannot be played."""
        shown: Shown = self._play("refuse", text, problem)
        return shown

    def finish(self) -> EpisodeRecord:
        """Let the clock run down, and end the episode."""
        record: EpisodeRecord = self._play("finish")
        self.close()
        return record

    def close(self) -> None:
        """Free the physics."""
        if self._over:
            return
        self._over = True
        self._place.leave(self._post)
        if self._worker is not None:
            # Nobody waits for it: a worker that is lost has nothing to free.
            with suppress(self._place.ray.exceptions.RayError):
                self._worker.end.remote(self._key)

    def call(self, function: Callable[..., Made], *args: Any, **options: Any) -> Made:
        """Call a function in the worker's process, again in another's where it is lost."""
        made: Made = self._insisted(lambda worker: worker.call.remote(function, args, options))
        return made

    def _play(self, method: str, *arguments: str) -> Any:
        self._calls.append(Call(method, arguments))
        answer: Answer = self._insisted(self._asked)
        self.episode.actions = answer.actions
        return answer.made

    def _asked(self, worker: Any) -> Any:
        if worker is self._worker:
            return worker.play.remote(self._key, self._calls[-1])
        self._worker = worker
        return worker.replay.remote(self._key, self._setting, self._calls)

    def _insisted(self, ask: Callable[[Any], Any]) -> Any:
        """What a worker answers; the next one is asked where it is lost."""
        ray, reason = self._place.ray, ""
        for _ in range(self._place.retries + 1):
            worker = self._post.worker
            try:
                return ray.get(ask(worker))
            except ray.exceptions.RayTaskError as error:
                raise error.cause from None
            except ray.exceptions.RayActorError as error:
                reason = type(error).__name__
                self._post.replace(worker)
        raise EvaluationError(
            f"{self.episode.task_id}: the process that played it was ended from outside "
            f"{self._place.retries + 1} times ({reason}), so it is not begun again; does it need more memory "
            "than there is? Try fewer by --jobs"
        )
