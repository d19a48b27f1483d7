"""How an episode is put to a model: every choice of a run, in one place."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from evaluation.choices.contradictions import refuse_contradictions
from evaluation.generation.image_rules import PATTERN
from testbed import CHILDREN


def _listed(value: Any) -> Any:
    """A list is written as such in a file, and with commas on a command line."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return tuple(value) if isinstance(value, list) else value


def _task_ids(value: Any) -> Any:
    """The word `children` stands for the 40 tasks that children did."""
    names = _listed(value)
    return CHILDREN if names == ("children",) else names


def _numbers(value: Any) -> Any:
    value = (value,) if type(value) is int else _listed(value)
    if not isinstance(value, tuple):
        return value
    return tuple(int(part) if isinstance(part, str) and part.isdecimal() else part for part in value)


def _levels(value: Any) -> Any:
    """Inspect's `-T levels=1,3` arrives as a list, `-T levels=2` as a number."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value) if type(value) is int else value


_Names = Annotated[tuple[str, ...], BeforeValidator(_task_ids)]
_Steps = Annotated[tuple[Annotated[int, Field(ge=0, le=1000)], ...], BeforeValidator(_numbers)]
_Limit = Annotated[int, Field(ge=1, le=100_000)]


class Protocol(BaseModel):
    """The paper's protocol (arXiv 2410.23242) unless told otherwise.

    Every field is an option of `arena-llm eval`, a key of a preset and an argument of the Inspect task; its
    description is the documentation. Raises `Contradiction` for choices that exclude each other.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    battery: Literal["any", "original"] = Field(
        default="any",
        description="original: the tasks are the 2019 files, so --testbed must say where they are",
    )
    tasks: _Names | None = Field(
        default=None,
        description="ids of the tasks to play, in this order; children: the 40 that children did; none: all",
    )
    levels: Annotated[str, BeforeValidator(_levels)] | None = Field(
        default=None, description="levels to play, such as 1-3 or 1,4; none: all"
    )
    animal_ai: Literal["2", "3.1.3", "4"] = Field(
        default="3.1.3",
        description="version of Animal-AI to re-enact; 2: 3.1.3 with the clock of 2019, never refilled",
    )
    trials: int = Field(default=1, ge=1, le=1000, description="times that each task is played")
    seed: int = Field(default=0, description="seed of everything random but the model")

    conversation: Literal["episode", "run"] = Field(
        default="episode", description="run: all tasks in one conversation, one after another"
    )
    order: Literal["listed", "shuffled"] = Field(
        default="listed", description="order of the tasks of a conversation; shuffled: by seed and trial"
    )
    demonstration: bool = Field(default=False, description="a demonstration episode comes first")
    initial_idle_steps: _Steps = Field(
        default=(1, 16, 16, 16),
        description="idle steps before the first script, in groups; a picture after each but the last",
    )
    memory_turns: Annotated[int, Field(ge=0, le=100_000)] | None = Field(
        default=None, description="earlier turns that the model is sent again each time; none: all"
    )

    replies: Literal["text", "tools", "steps"] = Field(
        default="text",
        description="tools: the model acts by tool calls; steps: a learned policy acts at every step",
    )
    sample_actions: bool = Field(
        default=False, description="a learned policy draws its actions; else it takes the best of each step"
    )
    tools: Annotated[tuple[Literal["act", "go", "turn"], ...], BeforeValidator(_listed)] = Field(
        default=("act",), min_length=1, description="the tools that it is given: act, go, turn"
    )
    one_step: bool = Field(default=False, description="a reply is one command of one step")
    strict: bool = Field(default=False, description="only the paper's syntax; else obvious slips are mended")
    max_scripts: _Limit | None = Field(
        default=30, description="replies per episode, then the clock runs down; none: no limit"
    )
    loop_turns: Annotated[int, Field(ge=2, le=100_000)] | None = Field(
        default=None, description="turns of one repeated or two alternating replies that end the model's part"
    )
    thought_chars: Annotated[int, Field(ge=0, le=1_000_000)] | None = Field(
        default=None, description="characters of Think per reply; 0: no Think; none: no limit"
    )

    observation: Literal["image", "text", "both"] = Field(
        default="image", description="text: what is in view is told in words"
    )
    image_size: int = Field(default=512, ge=4, le=1024, description="pixels a side of a picture")
    images_per_script: int = Field(
        default=1, ge=1, le=100, description="pictures along a script, the last at its end"
    )
    images: str = Field(
        default="all",
        pattern=PATTERN,
        description="pictures that are sent each time: all, last-K, first+last, or collage, all in one",
    )
    image_every: _Limit | None = Field(
        default=None, description="a picture after so many steps of a script, and one at its end"
    )
    vision: Literal["true", "blind", "shuffled"] = Field(
        default="true", description="control: blind shows black pictures, shuffled those of other arenas"
    )
    grayscale: bool = Field(default=False, description="pictures in shades of grey")
    blur_px: float = Field(
        default=0.0, ge=0, le=100, description="standard deviation of a Gaussian blur, in pixels"
    )
    resolution: Annotated[int, Field(ge=1, le=1024)] | None = Field(
        default=None, description="distinct pixels a side of a picture, enlarged to image_size; none: all"
    )

    temperature: Annotated[float, Field(ge=0, le=2)] | None = Field(default=0.0, description="none: not sent")
    max_tokens: _Limit | None = Field(default=None, description="tokens of a reply; none: not sent")
    reasoning_effort: Literal["minimal", "low", "medium", "high", "xhigh", "max"] | None = Field(
        default=None, description="effort of a reasoning model; none: not sent"
    )
    reasoning_tokens: _Limit | None = Field(
        default=None, description="tokens of a model's own reasoning; none: not sent"
    )

    retries: int = Field(
        default=3, ge=0, le=100, description="times that a request is sent again after a provider's fault"
    )
    reply_timeout: _Limit | None = Field(
        default=600, description="seconds after which a request counts as failed; none: no limit"
    )
    relaunches: int = Field(
        default=1, ge=0, le=100, description="times that a trial begins anew after its requests failed"
    )
    max_tokens_per_episode: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="tokens, sent and received, that end the model's part; none: no limit"
    )
    max_cost_per_episode: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="US dollars that end the model's part; needs a price; none: no limit"
    )
    time_limit_per_episode: _Limit | None = Field(
        default=None, description="seconds, waiting included, that end the model's part; none: no limit"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        refuse_contradictions(self.model_dump())
        return self

    @property
    def shows_images(self) -> bool:
        """Whether the model gets pictures."""
        return self.observation != "text" and not self.acts

    @property
    def acts(self) -> bool:
        """Whether a learned policy acts at every step, by sensors of its own, and nobody is asked."""
        return self.replies == "steps"
