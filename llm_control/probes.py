"""Perception probes: pictures with known answers, separate from planning, for Inspect AI.

Each arena is laid out so that the answer follows from the positions; nothing hides anything, and every ball
is within 45 degrees of straight ahead. Each answer of a kind is equally frequent.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import combinations, product
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
from arena.errors import ConfigError, EvaluationError, ScriptError
from arena.scene import Floats, Scene
from arena.seeds import episode_rng
from arena.taskfile.config import Item, Vector3
from evaluation.generation.generate import generate as ask
from evaluation.generation.generate import generate_config, guard
from evaluation.generation.memory import ImageBudget
from evaluation.generation.stops import stop_of
from evaluation.inspect_task.dialogue import content
from evaluation.inspect_task.interface import chosen_with_options, of_distribution, refusing
from evaluation.log.files import local_path
from evaluation.report_folder import check_writable
from evaluation.request import model_name
from evaluation.scale.references import RUNNERS, offline_agent
from evaluation.statistics import bootstrap_interval, wilson
from evaluation.suites import get_suite
from llm_control.choices import ArenaChoices
from llm_control.messages import system_text
from llm_control.observations import degraded, probe_frame
from llm_control.offline import ASKED, DISTANCE_BINS, KINDS, OPEN, PLACES, THINGS
from llm_control.prompts import arena_prompts
from llm_control.script import Script, Think, parse
from render import Frame

if TYPE_CHECKING:
    from evaluation.evaluate import Display

Pictures = Mapping[str, tuple[Frame, Frame]]
"""Pairs by name: original and redrawn picture of a scene, equally large."""

Place = tuple[float, float]
"""Ball's bearing (degrees, right is positive) and distance from the camera (metres)."""

WIDEST_DEG, CLEAR_DEG = 45.0, 6.0
"""Maximum bearing of balls, and minimum of lateral ones, in degrees."""

APART_DEG = 16.0
"""Minimum angle between balls; from 4 m on neither hides the other."""


class Probe(NamedTuple):
    """Picture with a question: `id`, kind, answer, and balls' places by colour."""

    id: str
    kind: str
    answer: str
    green: tuple[Place, ...]
    yellow: tuple[Place, ...]
    seed: int

    @property
    def question(self) -> str:
        """Text of the question, with the possible answers."""
        kind = KINDS[self.kind]
        return f"{kind.question}\n{ASKED}{', '.join(kind.answers)}."

    def scene(self) -> Scene:
        """Build the arena, with the agent's place and direction drawn."""
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
    """Make `each` probes of every kind, with balanced answers. The answers take turns, so that they are as
    balanced as `each` allows."""
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
    return ((float(bearing), float(rng.uniform(3, 16))),), ()


def _far(rng: np.random.Generator, answer: str) -> Layout:
    distance = float(rng.uniform(*DISTANCE_BINS[answer]))
    # Beyond 15 m a ball far aside could be outside the fence.
    widest = WIDEST_DEG if distance < 15 else 25.0
    return ((float(rng.uniform(-widest, widest)), distance),), ()


def _count(rng: np.random.Generator, answer: str) -> Layout:
    places = [(bearing, float(rng.uniform(4, 14))) for bearing in _bearings(rng, int(answer))]
    green = int(rng.integers(len(places) + 1))
    return tuple(places[:green]), tuple(places[green:])


def _nearer(rng: np.random.Generator, answer: str) -> Layout:
    one, other = _bearings(rng, 2)
    near = float(rng.uniform(4, 9))
    places = ((one, near),), ((other, near * float(rng.uniform(1.5, 1.8))),)
    return places if answer == "green" else (places[1], places[0])


_LAYOUTS: dict[str, Callable[[np.random.Generator, str], Layout]] = {
    "side": _side,
    "distance": _far,
    "count": _count,
    "nearer": _nearer,
}


def _bearings(rng: np.random.Generator, count: int) -> list[float]:
    """Draw sufficiently different bearings in random order."""
    while True:
        drawn = [float(each) for each in rng.uniform(-WIDEST_DEG, WIDEST_DEG, count)]
        if all(abs(one - other) >= APART_DEG for one, other in combinations(drawn, 2)):
            return drawn


def read_answer(reply: str, kind: str) -> str | None:
    """Read the single possible answer in a reply; None if unclear."""
    words = {word.strip(".,:;!'\"*`()").lower() for word in reply.split()}
    given = [answer for answer in KINDS[kind].answers if answer in words]
    return given[0] if len(given) == 1 else None


USED = frozenset(
    {"seed", "image_size", "image_gutter", "vision", "grayscale", "blur_px", "resolution"}
    | {"image_format", "image_detail"}
    | {"temperature", "max_tokens", "stop", "reasoning_effort", "reasoning_tokens", "reasoning_summary"}
)
"""Choices that apply to a probe: those of its picture and reply."""


@task(name="perception")
@of_distribution
@refusing
def perception(each: int = 20, protocol: str | None = None, **choices: Any) -> Task:
    """Create perception probes: `inspect eval arena_llm/perception -T each=20`.

    `each` is the number of probes of every kind; `protocol` and `choices` are those of `testbed` that
    concern the picture and the reply. Raises ConfigError for others.
    """
    if each < 1:
        raise ConfigError(f"each: got {each}, expected 1 or more probes of every kind")
    given = chosen_with_options(get_suite("arena"), protocol, choices)
    foreign = [name for name in given.changed() if name not in USED and given.origins[name] == "option"]
    if foreign:
        raise ConfigError(f"a probe has no {', '.join(foreign)}; its options are {', '.join(sorted(USED))}")
    probes = {probe.id: probe for probe in make_probes(each, given.choices.seed)}

    def asked(state: TaskState) -> tuple[Frame, str]:
        probe = probes[str(state.sample_id)]
        return probe_frame(given.choices, probe.scene(), probe.id), probe.question

    return Task(
        name="perception",
        dataset=MemoryDataset([_sample(probe) for probe in probes.values()], name="perception"),
        solver=answer_probe(asked, given.choices),
        scorer=probe_answer(),
        fail_on_error=False,
    )


def _sample(probe: Probe) -> Sample:
    metadata = {"kind": probe.kind, "green": probe.green, "yellow": probe.yellow}
    return Sample(id=probe.id, input=probe.question, target=probe.answer, metadata=metadata)


@solver
def answer_probe(asked: Callable[[TaskState], tuple[Frame, str]], choices: ArenaChoices) -> Solver:
    """Show the picture and ask the question of a sample."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model()
        state.messages = [ChatMessageUser(content=list(content(asked(state), choices)))]
        config = generate_config(model, choices, str(state.sample_id), state.epoch - 1)
        guard(model)
        state.output, _ = await ask(model, state.messages, (), config, ImageBudget("all"))
        state.messages.append(state.output.message)
        return state

    return solve


@scorer(metrics=[grouped(accuracy(), "kind"), stderr()])
def probe_answer() -> Scorer:
    """Score 1 for a reply with only the right answer."""

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


def kind_row(kind: str, asked: int, right: int) -> dict[str, Any]:
    """Build a table row: share of right answers, Wilson's interval, and chance."""
    share, chance = right / asked if asked else 0.0, 1 / len(KINDS[kind].answers)
    span = "{:.2f}-{:.2f}".format(*wilson(right, asked))
    return {"question": kind, "right": right, "of": asked, "share": share, "95 %": span, "by chance": chance}


class ProbeResult(NamedTuple):
    """Result of a run: table rows, number of failed probes, and log."""

    rows: tuple[dict[str, Any], ...]
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
    pictures: Pictures | None = None,
) -> ProbeResult:
    """Ask a model the probes, or about pairs of `pictures`.

    `protocol` is a preset that changes pictures. Raises EvaluationError for an unknown model, a missing key
    and an unwritable folder, ConfigError for the preset, KeyboardInterrupt.
    """
    # Here, as Inspect AI imports this module while that one is being imported.
    from evaluation.evaluate import check_model

    suite = get_suite("arena")
    full = model_name(suite, model)
    provider, _, name = full.partition("/")
    looks = offline_agent(suite, name) is not None and (pictures is None or name in ("pixels", *RUNNERS))
    if provider == suite.name and not looks:
        raise EvaluationError(f"{full}: cannot take probes; evaluate it by arena-llm eval")
    choices = {} if seed is None else {"seed": seed}
    pairs = None if pictures is None else pairs_task(pictures, protocol, **choices)
    task = pairs or perception(each=each, protocol=protocol, **choices)
    check_writable(log_dir)
    check_model(full)
    logs = inspect_ai.eval(task, model=full, log_dir=str(log_dir), display=display, score_display=False)
    if not logs or logs[0].status == "cancelled":
        raise KeyboardInterrupt
    if logs[0].error is not None:
        raise EvaluationError(logs[0].error.message.splitlines()[0])
    errors = [sample.error.message.splitlines()[0] for sample in logs[0].samples or [] if sample.error]
    rows = _counted(logs[0]) if pictures is None else _agreements(logs[0], pictures)
    return ProbeResult(rows, len(errors), errors[0] if errors else "", local_path(logs[0].location))


def _counted(log: Any) -> tuple[dict[str, Any], ...]:
    answered = [sample for sample in log.samples or [] if sample.scores]
    marked = [(s.metadata["kind"], next(iter(s.scores.values())).value == CORRECT) for s in answered]
    marks = {kind: [mark for of, mark in marked if of == kind] for kind in KINDS}
    return tuple(kind_row(kind, len(given), sum(given)) for kind, given in marks.items())


MEASURES = {"what is where": 0, "bearing within 10 degrees": 10, "first command": 0, "whole script": 0}
"""Measures of agreement, with the maximum difference between agreeing numbers."""

NONE = 1000.0
"""Number of the answer `none`, far from every bearing."""

MARGIN, INFORMED, UNREAD = 0.02, 0.1, 0.05
"""Limits of findings: maximum difference, minimum agreement above chance, maximum unread share."""


def pairs_task(pictures: Pictures, protocol: str | None = None, **options: Any) -> Task:
    """Ask each question twice on both pictures of each pair. Of the choices those in `USED` count."""
    given = chosen_with_options(get_suite("arena"), protocol, options).choices
    choices, prompts = ArenaChoices(**{name: getattr(given, name) for name in USED}), arena_prompts()
    if choices.vision == "shuffled":
        raise ConfigError("vision: got shuffled, which draws other scenes; pairs expect blind or true")

    def asked(state: TaskState) -> tuple[Frame, str]:
        name, question, side = state.metadata["place"]
        frame = pictures[name][side == "redrawn"] * (choices.vision != "blind")
        rules = system_text(choices.model_copy(update={"image_size": len(frame)}), prompts, 1)
        return degraded(frame, choices), OPEN.get(question, rules)

    samples = [
        Sample(id=f"{name} {question} {side}", input=question, metadata={"place": (name, question, side)})
        for name, question, side in product(pictures, (*OPEN, "script"), ("original", "redrawn"))
    ]
    data = MemoryDataset(samples, name="pairs_perception")
    return Task(data, solver=answer_probe(asked, choices), epochs=2, fail_on_error=False, name=data.name)


UNREADABLE = (ValueError, LookupError, TypeError, RecursionError, ScriptError)


def read_open(question: str, reply: str) -> dict[str, float | list[float]]:
    """Convert an answer to numbers by measure. Raises one of `UNREADABLE` if invalid."""
    text = reply.strip(" \n.*`°").lower().replace("−", "-")
    if question == "where":
        places = json.loads(text[text.find("{") : text.rfind("}") + 1])
        numbers = dict(zip((*PLACES, None), (0, 1, 2, NONE, NONE), strict=True))
        return {"what is where": [numbers[places[thing]] for thing in THINGS]}
    if question == "bearing":
        bearing = NONE if text == "none" else float(text)
        return {"bearing within 10 degrees": bearing} if text == "none" or abs(bearing) <= 90 else {}
    script = str(Script(tuple(each for each in parse(reply).commands if not isinstance(each, Think))))
    return {"first command": hash(re.split(r"\d", script)[0]), "whole script": hash(script)}


def _agreements(log: Any, pictures: Pictures) -> tuple[dict[str, Any], ...]:
    answers = {measure: np.full((4, len(pictures), len(THINGS)), np.nan) for measure in MEASURES}
    for sample in log.samples or []:
        name, question, side = sample.metadata["place"]
        said = "" if sample.error or stop_of(sample.output) else sample.output.completion
        with suppress(*UNREADABLE):
            for measure, value in read_open(question, said).items():
                place = 2 * (side == "redrawn") + sample.epoch - 1, list(pictures).index(name)
                answers[measure][place] = value
    return tuple(agreement(*each) for each in answers.items())


def agreement(measure: str, answers: Floats) -> dict[str, Any]:
    """Build a table row from answers (4, pairs, parts). Two answers are to the original, two to the redrawn
    picture. NaN agrees with nothing; parts that both answers call `NONE` count only if all are."""

    def near(one: Floats, other: Floats) -> Floats:
        named = (one != NONE) | (other != NONE)
        same = (np.abs(one - other) <= MEASURES[measure]) & named
        return np.asarray(((same.sum(2) + ~named.any(2)) / np.maximum(named.sum(2), 1)).mean(axis=0))

    def apart(one: Floats, other: Floats) -> float:
        gaps = np.ma.masked_where(~(np.maximum(one, other) < NONE), np.abs(one - other))
        return float(np.ma.filled(gaps.mean(), np.nan))

    again, cross = answers[[1, 0, 3, 2]], (answers[[0, 1, 0, 1]], answers[[2, 3, 3, 2]])
    across, itself = near(*cross), near(answers, again)
    gaps = across - itself
    others = (np.roll(again, shift, axis=1) for shift in range(1, answers.shape[1]))
    chance = np.mean([near(answers, other) for other in others], axis=0)
    degrees = f" (apart {apart(*cross):.1f}, itself {apart(answers, again):.1f})" if MEASURES[measure] else ""
    return {
        "question": measure + degrees,
        "pairs": answers.shape[1],
        "original vs redrawn": float(across.mean()),
        "with itself": float(itself.mean()),
        "difference": float(gaps.mean()),
        "95 %": "{:.2f} to {:.2f}".format(*bootstrap_interval(gaps)),
        "by chance": float(chance.mean()),
        "finding": _finding(gaps, np.isnan(answers).mean(), (itself - chance).mean()),
    }


def _finding(gaps: Floats, unread: float, informed: float) -> str:
    """Formulate the conclusion. Answers independent of the picture never transfer."""
    (low, high), gap = bootstrap_interval(gaps), abs(gaps.mean())
    same = max(-low, high) <= MARGIN
    if not same and (low > 0 or high < 0):
        return "differs"
    if unread > UNREAD:
        return f"{unread:.0%} of the answers cannot be read"
    if informed < INFORMED:
        return f"no information: the answers {'hardly' if informed > 0 else 'do not'} depend on the picture"
    # With fewer pairs than the first number even perfect agreement leaves more than the margin open.
    least, needed = math.log(0.025) / math.log(1 - MARGIN), (1.96 * gaps.std() / max(gap, MARGIN - gap)) ** 2
    about = math.ceil(max(least, needed, len(gaps) + 1))
    return "same within 2 points" if same else f"too few pairs to decide: about {about} would"
