"""The perception probes as a task of Inspect AI."""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, grouped, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arena.errors import ConfigError
from evaluation.generation.faults import guard
from evaluation.generation.generate import generate as ask
from evaluation.generation.generate import generate_config
from evaluation.generation.image_budget import ImageBudget
from evaluation.inspect_task.content import content
from evaluation.inspect_task.errors import refusing
from evaluation.inspect_task.inspect_options import chosen_with_options
from evaluation.inspect_task.naming import of_distribution
from evaluation.suites import get_suite
from llm_control.choices import ArenaChoices
from llm_control.observations import probe_frame
from llm_control.probes import KINDS, Probe, make_probes, read_answer

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
