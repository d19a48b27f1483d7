"""Perception probes, to separate seeing from planning: pictures with a known answer, as a task of Inspect AI.

Each arena is laid out so that the answer follows from the positions; nothing hides anything, and every ball
is within 45 degrees of straight ahead. Each answer of a kind is equally frequent."""

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import inspect_ai
import numpy as np
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, grouped, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arena import ArenaSpec, Episode
from arena.errors import ConfigError, EvaluationError
from arena.scene import Scene
from arena.seeds import episode_rng
from arena.taskfile.config import Item, Vector3
from evaluation.generation.generate import generate as ask
from evaluation.generation.generate import generate_config, guard
from evaluation.generation.memory import ImageBudget
from evaluation.inspect_task.dialogue import content
from evaluation.inspect_task.interface import chosen_with_options, of_distribution, refusing
from evaluation.log.files import local_path
from evaluation.report_folder import check_writable
from evaluation.request import model_name
from evaluation.scale.references import offline_agent
from evaluation.statistics import wilson
from evaluation.suites import get_suite
from llm_control.choices import ArenaChoices
from llm_control.observations import probe_frame
from llm_control.offline import ASKED, DISTANCE_BINS, KINDS

if TYPE_CHECKING:
    from evaluation.evaluate import Display

Place = tuple[float, float]
"""Of a ball: bearing in degrees, positive to the right, and distance in metres between centre and camera."""

WIDEST_DEG, CLEAR_DEG = 45.0, 6.0
"""Balls stand at most so far from straight ahead; those left or right at least so far."""

APART_DEG = 16.0
"""Least angle between two balls, so that neither hides a part of the other from 4 m on."""


class Probe(NamedTuple):
    """One picture and question: `id`, its kind, the answer, and the balls' places by colour."""

    id: str
    kind: str
    answer: str
    green: tuple[Place, ...]
    yellow: tuple[Place, ...]
    seed: int

    @property
    def question(self) -> str:
        """What is asked, with the answers to choose from."""
        kind = KINDS[self.kind]
        return f"{kind.question}\n{ASKED}{', '.join(kind.answers)}."

    def scene(self) -> Scene:
        """The arena, with the agent at a place and in a direction of its own."""
        rng = episode_rng(self.seed, f"{self.id}/agent", 0)
        # From the arena's middle part every place up to 20 m ahead towards the centre is within the fence.
        yaw = float(6 * rng.integers(60))
        x, z = (20 - 12 * f(math.radians(yaw)) for f in (math.sin, math.cos))
        items = [Item(name="Agent", positions=(_at(x, z),), rotations=(yaw,))]
        for name, places in (("GoodGoal", self.green), ("GoodGoalMulti", self.yellow)):
            ways = [(math.radians(yaw + bearing), far) for bearing, far in places]
            balls = tuple(_at(x + far * math.sin(way), z + far * math.cos(way)) for way, far in ways)
            sizes = (Vector3(x=1.0, y=1.0, z=1.0),) * len(balls)
            items += [Item(name=name, positions=balls, sizes=sizes)] if balls else []
        return Episode(ArenaSpec(items=tuple(items)), task_id=self.id, seed=self.seed).scene()


def _at(x: float, z: float) -> Vector3:
    return Vector3(x=round(x, 4), z=round(z, 4))


def make_probes(each: int, seed: int = 0, kinds: Sequence[str] = tuple(KINDS)) -> tuple[Probe, ...]:
    """`each` probes of every kind; the answers take turns, so that they are as balanced as `each` allows."""
    return tuple(_probe(kind, number, seed) for kind in kinds for number in range(each))


def _probe(kind: str, number: int, seed: int) -> Probe:
    name = f"{kind}-{number:04d}"
    rng = episode_rng(seed, name, 0)
    answers = KINDS[kind].answers
    answer = answers[number % len(answers)]
    green, yellow = _LAYOUTS[kind](rng, answer)
    return Probe(name, kind, answer, green, yellow, seed)


Layout = tuple[tuple[Place, ...], tuple[Place, ...]]


def _side(rng: np.random.Generator, answer: str) -> Layout:
    bearing = rng.uniform(CLEAR_DEG, WIDEST_DEG) * (1 if answer == "right" else -1)
    return ((float(bearing), _distance(rng, 3, 16)),), ()


def _far(rng: np.random.Generator, answer: str) -> Layout:
    distance = _distance(rng, *DISTANCE_BINS[answer])
    # Beyond 15 m a ball far aside could stand outside the fence.
    widest = WIDEST_DEG if distance < 15 else 25.0
    return ((float(rng.uniform(-widest, widest)), distance),), ()


def _count(rng: np.random.Generator, answer: str) -> Layout:
    places = [(bearing, _distance(rng, 4, 14)) for bearing in _bearings(rng, int(answer))]
    green = int(rng.integers(len(places) + 1))
    return tuple(places[:green]), tuple(places[green:])


def _nearer(rng: np.random.Generator, answer: str) -> Layout:
    one, other = _bearings(rng, 2)
    near = _distance(rng, 4, 9)
    places = ((one, near),), ((other, near * float(rng.uniform(1.5, 1.8))),)
    return places if answer == "green" else (places[1], places[0])


_LAYOUTS: dict[str, Callable[[np.random.Generator, str], Layout]] = {
    "side": _side,
    "distance": _far,
    "count": _count,
    "nearer": _nearer,
}


def _distance(rng: np.random.Generator, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


def _bearings(rng: np.random.Generator, count: int) -> list[float]:
    """Bearings that are far enough apart, in random order."""
    while True:
        drawn = [float(each) for each in rng.uniform(-WIDEST_DEG, WIDEST_DEG, count)]
        if all(abs(one - other) >= APART_DEG for one, other in combinations(drawn, 2)):
            return drawn


def read_answer(reply: str, kind: str) -> str | None:
    """The answer that a reply gives: the one word among the possible ones; None where that is not clear."""
    words = {word.strip(".,:;!'\"*`()").lower() for word in reply.split()}
    given = [answer for answer in KINDS[kind].answers if answer in words]
    return given[0] if len(given) == 1 else None


USED = frozenset(
    {"seed", "image_size", "image_gutter", "vision", "grayscale", "blur_px", "resolution"}
    | {"image_format", "image_detail"}
    | {"temperature", "max_tokens", "stop", "reasoning_effort", "reasoning_tokens", "reasoning_summary"}
)
"""The choices of a protocol that a probe has: those of its picture and of the model's reply."""


@task(name="perception")
@of_distribution
@refusing
def perception(each: int = 20, protocol: str | None = None, **choices: Any) -> Task:
    """Perception probes: `inspect eval arena_llm/perception -T each=20`.

    `each` is the number of probes of every kind; `protocol` and `choices` are those of `testbed` that
    concern the picture and the reply. Raises ConfigError for others.
    """
    if each < 1:
        raise ConfigError(f"each: got {each}, expected 1 or more probes of every kind")
    given = chosen_with_options(get_suite("arena"), protocol, choices)
    foreign = [name for name in given.changed() if name not in USED and given.origins[name] == "option"]
    if foreign:
        raise ConfigError(f"a probe has no {', '.join(foreign)}; its options are {', '.join(sorted(USED))}")
    probes = make_probes(each, given.choices.seed)
    return Task(
        name="perception",
        dataset=MemoryDataset([_sample(probe) for probe in probes], name="perception"),
        solver=answer_probe(probes, given.choices),
        scorer=probe_answer(),
        fail_on_error=False,
    )


def _sample(probe: Probe) -> Sample:
    metadata = {"kind": probe.kind, "green": probe.green, "yellow": probe.yellow}
    return Sample(id=probe.id, input=probe.question, target=probe.answer, metadata=metadata)


@solver
def answer_probe(probes: tuple[Probe, ...], choices: ArenaChoices) -> Solver:
    """Shows the picture and asks the question."""
    by_id = {probe.id: probe for probe in probes}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        probe, model = by_id[str(state.sample_id)], get_model()
        shown = content((probe_frame(choices, probe.scene(), probe.id), probe.question), choices)
        state.messages = [ChatMessageUser(content=list(shown))]
        config = generate_config(model, choices, probe.id, 0)
        guard(get_model())
        state.output, _ = await ask(model, state.messages, (), config, ImageBudget("all"))
        state.messages.append(state.output.message)
        return state

    return solve


@scorer(metrics=[grouped(accuracy(), "kind"), stderr()])
def probe_answer() -> Scorer:
    """Right where the reply gives the probe's answer and no other."""

    async def score(state: TaskState, target: Target) -> Score:
        kind = state.metadata["kind"]
        given = read_answer(state.output.completion, kind)
        return Score(
            value=CORRECT if given == target.text else INCORRECT,
            answer=given or "none",
            explanation=f"the answer is {target.text}",
            metadata={"kind": kind, "chance": 1 / len(KINDS[kind].answers)},
        )

    return score


class KindResult(NamedTuple):
    """The probes of a kind: how many were asked and right."""

    kind: str
    asked: int
    right: int

    @property
    def share(self) -> float:
        """The share that was right; 0 if nothing was asked."""
        return self.right / self.asked if self.asked else 0.0

    @property
    def chance(self) -> float:
        """The share that random answers would get."""
        return 1 / len(KINDS[self.kind].answers)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share."""
        return wilson(self.right, self.asked)


class ProbeResult(NamedTuple):
    """A run: a row per kind, how many probes have no answer because the model failed, and the log."""

    rows: tuple[KindResult, ...]
    failed: int
    first_error: str
    log: Path


def probe(
    model: str,
    log_dir: Path,
    each: int = 20,
    protocol: str | None = None,
    seed: int | None = None,
    display: "Display" = "rich",
) -> ProbeResult:
    """Ask a model the probes; `protocol` is a preset that changes the pictures.

    Raises EvaluationError for an unknown model, a missing key and an unwritable folder, ConfigError for the
    preset, KeyboardInterrupt.
    """
    # Here, as Inspect AI imports this module while that one is being imported.
    from evaluation.evaluate import check_model

    suite = get_suite("arena")
    full = model_name(suite, model)
    provider, _, name = full.partition("/")
    if provider == suite.name and offline_agent(suite, name) is None:
        raise EvaluationError(
            f"{full}: a learned policy answers no questions; it is evaluated by arena-llm eval"
        )
    choices = {} if seed is None else {"seed": seed}
    task = perception(each=each, protocol=protocol, **choices)
    check_writable(log_dir)
    check_model(full)
    logs = inspect_ai.eval(task, model=full, log_dir=str(log_dir), display=display, score_display=False)
    if not logs or logs[0].status == "cancelled":
        raise KeyboardInterrupt
    if logs[0].error is not None:
        raise EvaluationError(logs[0].error.message.splitlines()[0])
    return _counted(logs[0])


def _counted(log: Any) -> ProbeResult:
    answered = [sample for sample in log.samples or [] if sample.scores]
    failed = [sample for sample in log.samples or [] if not sample.scores]
    marked = [(s.metadata["kind"], next(iter(s.scores.values())).value == CORRECT) for s in answered]
    marks = {kind: [mark for of, mark in marked if of == kind] for kind in KINDS}
    rows = tuple(KindResult(kind, len(given), sum(given)) for kind, given in marks.items())
    errors = [sample.error.message.splitlines()[0] for sample in failed if sample.error]
    path = local_path(log.location)
    return ProbeResult(rows, len(failed), errors[0] if errors else "", path)
