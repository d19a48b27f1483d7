"""The evaluation as a task of Inspect AI: dataset, solver, scorer."""

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import transcript
from inspect_ai.model import GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arena import Episode
from llm_control.agents.informed import PLAYED
from llm_control.agents.provider import agent_seed
from llm_control.conversation import first_message, opening, turn_message
from llm_control.play import Play
from llm_control.prompts import PromptSet, prompt_set
from llm_control.protocol import Protocol
from render import Renderer
from testbed import Task as BatteryTask
from testbed import find_tasks, parse_levels

_REFUSABLE = ("temperature", "seed")
"""Parameters that we send and that a model may not take."""


@task(name="testbed")
def testbed(
    levels: str = "1-3",
    folder: str | None = None,
    icl: bool = False,
    trials: int = 1,
    seed: int = 0,
    max_scripts: int = 30,
    strict: bool = False,
    prompt: str | None = None,
    animal_ai: str = "3.1.3",
) -> Task:
    """The battery, for `inspect eval arena_llm/testbed -T levels=1-3`; options as of `arena-llm eval`."""
    protocol = Protocol(demonstration=icl, trials=trials, seed=seed, max_scripts=max_scripts, strict=strict)
    tasks = find_tasks(parse_levels(levels) if levels else None, Path(folder) if folder else None, animal_ai)
    return make_task(tasks, protocol, prompt_set(Path(prompt) if prompt else None))


def make_task(tasks: Sequence[BatteryTask], protocol: Protocol, prompts: PromptSet) -> Task:
    """An Inspect task over battery tasks, each played `protocol.trials` times."""
    return Task(
        name="testbed",
        dataset=MemoryDataset([_sample(t) for t in tasks], name="testbed"),
        solver=play_episode(tuple(tasks), protocol, prompts),
        scorer=pass_mark(),
        epochs=Epochs(protocol.trials, []),
        fail_on_error=False,
    )


def _sample(battery_task: BatteryTask) -> Sample:
    mark = battery_task.spec.pass_mark
    return Sample(
        id=battery_task.id,
        input=f"Task {battery_task.id}",
        target="unmarked" if mark is None else f"{mark:g}",
        metadata={"level": battery_task.level, "sha256": battery_task.sha256, "pass_mark": mark},
    )


@solver
def play_episode(tasks: tuple[BatteryTask, ...], protocol: Protocol, prompts: PromptSet) -> Solver:
    """The loop of observation, reply and action.

    Physics and drawing run on the event loop itself: both keep state that must not change threads, and a
    script takes milliseconds beside a model's seconds.
    """
    by_id = {t.id: t for t in tasks}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        battery_task = by_id[str(state.sample_id)]
        trial = state.epoch - 1
        episode = Episode(battery_task.spec, task_id=battery_task.id, seed=protocol.seed, trial=trial)
        PLAYED.set(episode)
        play = Play(episode, _renderer(protocol.image_size), protocol)
        config = _config(protocol, battery_task.id, trial)
        state.messages = opening(protocol, prompts)
        frames = play.begin()
        state.messages.append(first_message(protocol, prompts, episode.health, frames))
        while play.wants_reply:
            output, config = await ask(get_model(), state, config)
            state.output = output
            state.messages.append(output.message)
            turn = play.reply(output.completion)
            if not turn.done:
                state.messages.append(turn_message(protocol, prompts, turn, play.frame()))
        state.metadata["episode"] = play.finish().as_dict()
        return state

    return solve


@cache
def _renderer(size: int) -> Renderer:
    return Renderer(size, size)


def _config(protocol: Protocol, task_id: str, trial: int) -> GenerateConfig:
    config = GenerateConfig(temperature=protocol.temperature)
    if str(get_model().name).startswith(("random", "pixels")):
        config.seed = agent_seed(protocol.seed, task_id, trial)
    return config


async def ask(model: Model, state: TaskState, config: GenerateConfig) -> tuple[ModelOutput, GenerateConfig]:
    """One reply, and the parameters that the model took.

    A parameter that the model refuses is left out, and the log says so.
    """
    while True:
        try:
            return await model.generate(state.messages, config=config), config
        except Exception as error:
            refused = refused_parameter(error, config)
            if refused is None:
                raise
            transcript().info({"left out": refused, "because": str(error)[:500]})
            config = config.model_copy(update={refused: None})


def refused_parameter(error: Exception, config: GenerateConfig) -> str | None:
    """Which of our parameters a provider's error refuses, if it is that kind of error."""
    cause = error
    while cause.__cause__ is not None and _status(cause) is None:
        cause = cause.__cause__  # type: ignore[assignment]
    if _status(cause) not in (400, 422):
        return None
    # Inspect appends the whole request to the text, and that names every parameter.
    text = str(getattr(cause, "provider_message", None) or getattr(cause, "message", None) or cause).lower()
    named = [p for p in _REFUSABLE if p in text and getattr(config, p) is not None]
    return named[0] if named else None


def _status(error: BaseException) -> object:
    """The HTTP status that a provider's SDK puts on its errors; Inspect may wrap them in its own."""
    return getattr(error, "status_code", None) or getattr(error, "code", None)


@metric
def pass_rate() -> Metric:
    """Share of judged episodes that were passed; unmarked ones do not count."""

    def calculate(scores: list[SampleScore]) -> float:
        judged = [s.score.as_float() for s in scores if not math.isnan(s.score.as_float())]
        return sum(judged) / len(judged) if judged else math.nan

    return calculate


@scorer(metrics=[pass_rate()])
def pass_mark() -> Scorer:
    """1 where the total reward reaches the pass mark, 0 where it does not, NaN where there is no mark."""

    async def score(state: TaskState, target: Target) -> Score:
        episode: dict[str, Any] = state.metadata["episode"]
        recording = episode["recording"]
        verdict = recording["passed"]
        return Score(
            value=math.nan if verdict is None else float(verdict),
            answer=f"{recording['total_reward']:.3f}",
            explanation=f"{recording['outcome']} after {recording['steps']} steps",
            metadata={
                "total_reward": recording["total_reward"],
                "passed": verdict,
                "outcome": recording["outcome"],
                "steps": recording["steps"],
                "turns": len(episode["turns"]),
            },
        )

    return score
