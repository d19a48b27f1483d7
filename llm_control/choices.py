"""Choices of the arena's suite, in addition to the common ones."""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from arena.rules import SAFETY_STEPS
from arena.seeds import ChanceName
from evaluation.choices.run_choices import (
    PICTURE_FILES,
    Bounds,
    Limit,
    Rule,
    RunChoices,
    clash,
    listed,
    other_than,
    without_pictures,
)
from testbed import CHILDREN, SHORT_FORM

_NAMED_TASKS = {"short-form": SHORT_FORM, "children": CHILDREN}


def _task_ids(value: Any) -> Any:
    """Expand `short-form` and `children` to 40 ids each."""
    names = listed(value)
    return next((ids for word, ids in _NAMED_TASKS.items() if names == (word,)), names)


def _numbers(value: Any) -> Any:
    value = (value,) if type(value) is int else listed(value)
    if not isinstance(value, tuple):
        return value
    return tuple(int(part) if isinstance(part, str) and part.isdecimal() else part for part in value)


def _absolute(value: Any) -> Any:
    """Make a path absolute."""
    return str(Path(value).expanduser().resolve()) if isinstance(value, str) else value


def _levels(value: Any) -> Any:
    """Accept Inspect's `-T levels=1,3` (a list) and `-T levels=2` (a number)."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value) if type(value) is int else value


_Steps = Annotated[tuple[Annotated[int, Field(ge=0, le=1000)], ...], BeforeValidator(_numbers)]


_ACTS = "a policy acts at every step of an episode of its own, without scripts"

_RULES = (
    clash(_ACTS, replies="steps", max_scripts=other_than(None)),
    clash(_ACTS, replies="steps", loop_turns=other_than(None)),
    clash(_ACTS, replies="steps", demonstration=bool),
    clash(_ACTS, replies="steps", one_step=bool),
    clash(_ACTS, replies="steps", observation=other_than("image")),
    without_pictures("vision", other_than("true")),
    without_pictures("grayscale", bool),
    without_pictures("blur_px", bool),
    without_pictures("image_gutter", bool),
    *PICTURE_FILES,
    without_pictures("resolution", other_than(None)),
    without_pictures("images_per_script", other_than(1)),
    without_pictures("image_every", other_than(None)),
    clash("the words would reveal what the pictures hide", observation="both", vision=other_than("true")),
    clash(
        "the demonstration would reveal what the control hides", vision=other_than("true"), demonstration=bool
    ),
    clash(
        "both set the pictures along a script", images_per_script=other_than(1), image_every=other_than(None)
    ),
    clash("a script of one step has one picture", one_step=True, images_per_script=other_than(1)),
    clash("a script of one step has one picture", one_step=True, image_every=other_than(None)),
    clash("the demonstration's scripts have many steps", one_step=True, demonstration=bool),
    clash("the demonstration answers in text", replies="tools", demonstration=bool),
    clash(
        "the demonstration is shown in pictures alone", observation=other_than("image"), demonstration=bool
    ),
    clash("the demonstration has thoughts of any length", thought_chars=other_than(None), demonstration=bool),
    clash("without tool calls there are no tools to choose", replies="text", tools=other_than(("act",))),
    Rule(
        ("max_scripts", "loop_turns"),
        lambda c: c["max_scripts"] is None and c["loop_turns"] is None and c["replies"] != "steps",
        "a model whose replies take no time would never end; give a number of loop_turns",
    ),
    clash("Forward, Backward, Left and Right are steps; give one_step too", commands="moves", one_step=False),
    clash("moves are written as text", commands="moves", replies=other_than("text")),
    clash("beliefs are written as text", beliefs=True, replies=other_than("text")),
    clash("without loop_turns no loop ends the model's part", after_loop="repeat", loop_turns=None),
    Rule(
        ("resolution", "image_size"),
        lambda c: c["resolution"] is not None and c["resolution"] > c["image_size"],
        "a picture cannot have more distinct pixels than pixels",
    ),
)


class ArenaChoices(RunChoices):
    """Choices of an episode in the arena; defaults keep the paper's loop. The paper is arXiv 2410.23242.
    Every field is an option of `arena-llm eval`, a key of a preset and an argument of the Inspect task."""

    rules: ClassVar[tuple[Rule, ...]] = (*RunChoices.rules, *_RULES)
    short_names: ClassVar[dict[str, str]] = {"icl": "demonstration"}
    paths: ClassVar[frozenset[str]] = frozenset({"demonstration"})
    words: ClassVar[frozenset[str]] = frozenset({"animal_ai", "chance", "vision", "levels", "tasks"})
    later: ClassVar[frozenset[str]] = RunChoices.later | {"beliefs"}
    for_players: ClassVar[tuple[str, ...]] = (
        *("battery", "tasks", "levels", "animal_ai", "chance", "trials", "seed"),
        *("initial_idle_steps", "replies", "sample_actions"),
    )
    player_defaults: ClassVar[dict[str, Any]] = {
        **RunChoices.player_defaults,
        "max_scripts": None,
        # A policy begins as in training.
        "initial_idle_steps": (),
    }

    battery: Literal["any", "published", "original", "llm-aai"] = "any"
    tasks: Annotated[tuple[str, ...], BeforeValidator(_task_ids)] | None = None
    levels: Annotated[str, BeforeValidator(_levels)] | None = None
    animal_ai: Literal["2", "3.1.3", "4.1", "4"] = "3.1.3"
    chance: ChanceName = "own"
    texts: Literal["any", "paper"] = "any"
    demonstration: bool | Annotated[str, AfterValidator(_absolute)] = False
    initial_idle_steps: _Steps = (1, 16, 16, 16)
    sample_actions: bool = False
    tools: Annotated[tuple[Literal["act", "go", "turn"], ...], BeforeValidator(listed)] = Field(
        default=("act",), min_length=1
    )
    one_step: bool = False
    commands: Literal["script", "moves"] = "script"
    strict: bool = False
    max_scripts: Limit | None = 30
    loop_turns: Annotated[int, Field(ge=2, le=100_000)] | None = None
    after_loop: Literal["idle", "repeat"] = "idle"
    thought_chars: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    beliefs: bool = False
    observation: Literal["image", "text", "both"] = "image"
    image_size: int = Field(default=512, ge=4, le=1024)
    image_gutter: int = Field(default=0, ge=0, le=64)
    images_per_script: int = Field(default=1, ge=1, le=100)
    image_every: Limit | None = None
    vision: Literal["true", "blind", "shuffled"] = "true"
    grayscale: bool = False
    blur_px: float = Field(default=0.0, ge=0, le=100)
    resolution: Annotated[int, Field(ge=1, le=1024)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _children_did_published_tasks(cls, values: Any) -> Any:
        if isinstance(values, dict) and listed(values.get("tasks")) == ("children",):
            given = values.get("battery", "any")
            return {**values, "battery": "published" if given == "any" else given}
        return values

    @property
    def shows_images(self) -> bool:
        """Return whether the model gets pictures."""
        return self.observation != "text" and not self.acts

    @property
    def needs_all_tasks(self) -> bool:
        """Return whether other tasks' pictures are needed, by the shuffled control."""
        return self.vision == "shuffled"

    @property
    def tool_names(self) -> tuple[str, ...]:  # type: ignore[override]
        """Tools of the model."""
        return self.tools

    def bounds(self, content: Any = None) -> Bounds:
        """Bound an episode's requests. Our message after a reply has about 240 characters. If each reply
        takes a step, the clock of the task bounds them too."""
        shown = self.shows_images
        clock = [content.spec.time_limit or SAFETY_STEPS] if self.one_step and content is not None else []
        limits = [*clock, *([self.max_scripts] if self.max_scripts is not None else [])]
        scripts = min(limits, default=None)
        asks = self.beliefs and (content is None or content.spec.question is not None)
        return Bounds(
            replies=scripts and scripts * (1 + asks),
            first_images=max(len(self.initial_idle_steps) - 1, 1) if shown else 0,
            images=self.images_per_script if shown else 0,
            image_px=self.image_size,
            image_width=self.image_size + 2 * self.image_gutter,
        )
