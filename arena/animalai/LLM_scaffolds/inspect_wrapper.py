"""The environment as a tool of Inspect AI, as in `animalai.LLM_scaffolds.inspect_wrapper`."""

import base64
import io
from typing import Any

import numpy as np
import numpy.typing as npt
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageUser, ContentImage
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, std
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolResult, tool
from inspect_ai.util import StoreModel, store_as
from PIL import Image
from pydantic import Field, JsonValue

from arena.animalai.environment import AnimalAIEnvironment
from arena.animalai.exception import InvalidValueError
from arena.animalai.LLM_scaffolds import EnvironmentScaffold, parse_action

TERMINATION_ERROR = "error"
"""A step has raised an error."""
TERMINATION_INSPECT_LIMIT = "inspect_limit"
"""Inspect's limit of messages, tokens or time has stopped the sample."""

_OPTIONS: dict[str, Any] = {
    "file_name": None,
    "useCamera": True,
    "no_graphics": False,
    "resolution": 84,
    "base_port": 5005,
    "worker_id": 0,
    "seed": None,
    "timescale": 5,
    "targetFrameRate": -1,
}
"""Environment arguments that a sample's metadata may set, with defaults."""


class AAIStateModel(StoreModel):
    """Environment and events of a sample."""

    AAI: Any = None
    rewards: list[float] = Field(default_factory=list)
    termination_reason: str | None = None


def encode_camera_obs(obs: npt.NDArray[np.uint8]) -> str:
    """Return a picture as PNG in base64."""
    content = io.BytesIO()
    Image.fromarray(obs).save(content, format="PNG")
    return base64.b64encode(content.getvalue()).decode()


def create_env(scaffold_type: type[EnvironmentScaffold[Any]], state: TaskState) -> EnvironmentScaffold[Any]:
    """Return a scaffold of the metadata's environment. `arenas_configurations` is required."""
    options = {name: state.metadata.get(name, default) for name, default in _OPTIONS.items()}
    return scaffold_type(
        AnimalAIEnvironment(arenas_configurations=state.metadata["arenas_configurations"], **options)
    )


@tool
def act(scaffold_type: type[EnvironmentScaffold[Any]], state: TaskState, instance: str | None = None) -> Tool:
    """Return the tool by which a model acts."""

    async def execute(action: str) -> ToolResult:
        """Move in the arena, and see what it looks like then.

        Args:
          action (str): One of the available actions.
        """
        kept = _state(scaffold_type, state, instance)
        chosen = parse_action(kept.AAI, action)
        try:
            seen, reward, done, info = kept.AAI.step(chosen)
        except Exception:
            kept.termination_reason = TERMINATION_ERROR
            kept.AAI.close()
            raise
        kept.rewards = [*kept.rewards, reward]
        if done:
            kept.termination_reason = info.get("done_reason")
            state.completed = True
            kept.AAI.close()
        return seen if isinstance(seen, str) else _image(seen)

    return execute


def _state(
    scaffold_type: type[EnvironmentScaffold[Any]], state: TaskState, instance: str | None
) -> AAIStateModel:
    """Return the sample's state, with an environment."""
    kept = store_as(AAIStateModel, instance=instance)
    if kept.AAI is None:
        kept.AAI = create_env(scaffold_type, state)
    return kept


def _image(seen: Any) -> ContentImage:
    if not isinstance(seen, np.ndarray):
        raise InvalidValueError(f"step of the scaffold: got {seen!r}, expected a text or a picture")
    return ContentImage(image=f"data:image/png;base64,{encode_camera_obs(seen)}")


@solver
def start_animalai(scaffold_type: type[EnvironmentScaffold[Any]], instance: str | None = None) -> Solver:
    """Start the environment, and show the model its first picture."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        frame = _state(scaffold_type, state, instance).AAI.last_frame
        state.messages.append(ChatMessageUser(content=[_image(frame)]))
        return state

    return solve


@solver
def add_act_tool(scaffold_type: type[EnvironmentScaffold[Any]]) -> Solver:
    """Give the model the tool `act`."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.tools.append(act(scaffold_type=scaffold_type, state=state))
        return state

    return solve


def _termination_reason(kept: AAIStateModel) -> str:
    return kept.termination_reason or TERMINATION_INSPECT_LIMIT


@scorer(metrics=[mean(), std()])
def total_reward_scorer() -> Scorer:
    """Score the total reward, also of an episode cut by a limit."""

    async def score(state: TaskState, target: Target) -> Score:
        kept = store_as(AAIStateModel)
        return Score(
            value=sum(kept.rewards),
            metadata={"termination_reason": _termination_reason(kept), "num_steps": len(kept.rewards)},
        )

    return score


async def close_environment(state: TaskState, instance: str | None = None) -> None:
    """Keep a sample's outcome and close its environment, however it ended."""
    kept = store_as(AAIStateModel, instance=instance)
    if kept.AAI is None:
        return
    outcome: dict[str, JsonValue] = {
        "termination_reason": _termination_reason(kept),
        "total_reward": sum(kept.rewards),
        "num_steps": len(kept.rewards),
    }
    state.metadata["episode_outcome"] = outcome
    transcript().info(outcome, source="animalai")
    kept.AAI.close()
