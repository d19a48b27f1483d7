"""The parts of the benchmark: what is measured, and compared with what."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from time import perf_counter, process_time

from arena import Episode, Rays
from arena.rays import CAST_LENGTH
from benchmarks.bare import BareWorld
from benchmarks.measure import Effort, Subject, random_actions, timed
from benchmarks.result import Pair, Result, Timing
from render import Renderer
from testbed import Task

SMALL, LARGE = 84, 512
"""Sides of the pictures: that of Animal-AI's learned agents, and that of language models."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is measured.

    `group` is its word on the command line, `unit` what is counted, `peer` what it is compared with.
    """

    name: str
    group: str
    unit: str
    peer: str
    measure: Callable[[Task, int, Effort], Pair]


def physics(task: Task, seed: int, effort: Effort) -> Pair:
    """Environment steps without a camera, compared with three ticks each of the bare world."""
    with Subject(task, seed) as subject, subject.bare() as bare:
        actions = random_actions(task.id, seed)
        subject.timed_steps(effort.warm_up)
        ours = subject.timed_steps(effort.steps)
        _drive(bare, actions, effort.warm_up)
        return Pair(ours, timed(effort.steps, lambda: bare.step(next(actions))))


def reset(task: Task, seed: int, effort: Effort) -> Pair:
    """Building an arena, compared with building the bare world; closing them is not timed."""
    with Subject(task, seed) as subject:
        things = subject.episode.scene().things
    boxes, moving = len(things), sum(thing.moves for thing in things)
    ours = peer = 0.0
    for trial in range(effort.builds):
        started = perf_counter()
        episode = Episode(task.spec, task_id=task.id, seed=seed, trial=trial)
        ours += perf_counter() - started
        episode.close()
        started = perf_counter()
        bare = BareWorld(boxes, moving)
        peer += perf_counter() - started
        bare.close()
    return Pair(Timing(effort.builds, ours), Timing(effort.builds, peer))


def small_frames(task: Task, seed: int, effort: Effort) -> Pair:
    """Pictures of 84 x 84 pixels."""
    return _frames(task, seed, SMALL, effort.frames, effort.frames, effort.warm_up)


def large_frames(task: Task, seed: int, effort: Effort) -> Pair:
    """Pictures of 512 x 512 pixels."""
    return _frames(task, seed, LARGE, effort.large_frames, effort.large_peer, effort.warm_up)


def rays(task: Task, seed: int, effort: Effort) -> Pair:
    """Observations by the ray sensor, compared with as many thin rays in the bare world."""
    sensor = Rays()
    with Subject(task, seed) as subject, subject.bare() as bare:
        subject.timed_between(effort.warm_up, lambda episode: sensor.observe(episode.scene()))
        ours = subject.timed_between(effort.observations, lambda episode: sensor.observe(episode.scene()))
        cast: Callable[[], object] = lambda: bare.rays(sensor.angles, CAST_LENGTH)  # noqa: E731
        timed(effort.warm_up, cast)
        return Pair(ours, timed(effort.observations, cast))


PARTS = (
    Part("physics", "physics", "steps", "bare PyBullet, 3 ticks", physics),
    Part("reset", "reset", "builds", "bare PyBullet, build", reset),
    Part(f"frames {SMALL} x {SMALL}", "frames", "frames", f"TinyRenderer {SMALL} x {SMALL}", small_frames),
    Part(f"frames {LARGE} x {LARGE}", "frames", "frames", f"TinyRenderer {LARGE} x {LARGE}", large_frames),
    Part("rays", "rays", "observations", "PyBullet rayTestBatch", rays),
)
"""All parts in their order of measurement."""


def measure_part(
    part: Part, tasks: Sequence[Task], effort: Effort, seed: int, advance: Callable[[], None]
) -> Result:
    """Measure a part on all tasks in each pass, so that a busy moment affects a single pass of a few tasks.

    An uncounted measurement of the first task loads everything. `advance` is called after each task.
    """
    part.measure(tasks[0], seed, effort)
    passes: list[list[Pair]] = []
    wall, used = perf_counter(), process_time()
    for _ in range(effort.passes):
        passes.append([])
        for task in tasks:
            passes[-1].append(part.measure(task, seed, effort))
            advance()
    cpu = (process_time() - used) / (perf_counter() - wall)
    return Result.of(part.name, [task.id for task in tasks], passes, cpu)


_renderer = cache(Renderer)


def _frames(task: Task, seed: int, side: int, count: int, peer_count: int, warm_up: int) -> Pair:
    """Pictures with the pixels read back, each after another step; the steps are not timed."""
    renderer = _renderer(side, side)
    draw: Callable[[Episode], object] = lambda episode: renderer.frame(episode.scene())  # noqa: E731
    with Subject(task, seed) as subject, subject.bare() as bare:
        subject.timed_between(warm_up, draw)
        ours = subject.timed_between(count, draw)
        actions = random_actions(task.id, seed)
        bare.picture(side)
        seconds = 0.0
        for _ in range(peer_count):
            _drive(bare, actions, 1)
            seconds += timed(1, lambda: bare.picture(side)).seconds
        return Pair(ours, Timing(peer_count, seconds))


def _drive(bare: BareWorld, actions: Iterator[int], steps: int) -> None:
    for _ in range(steps):
        bare.step(next(actions))
