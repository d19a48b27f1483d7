"""What a study's file says."""

from difflib import get_close_matches
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from human_data.people.play.phrases import PHRASES
from human_data.people.play.wire import Mode, View
from human_data.people.study.base import Line, Name, Part, Text
from human_data.people.study.items import Questionnaire
from human_data.people.study.words import Words

Parameter = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]


class Consent(Part):
    """What people agree to, in Markdown; `version` is kept with their consent."""

    version: Name
    text: Text
    title: Line = "Taking part in this study"


class Participants(Part):
    """Where people come from: from a link whose parameters say who they are, or with a code.

    `from_` "link": the parameter `id` names the person, those of `keep` are kept with them. "codes": only the
    codes that are listed; "free": whatever code a person gives.
    """

    from_: Literal["link", "codes", "free"] = Field(alias="from")
    id: Parameter = "PROLIFIC_PID"
    keep: tuple[Parameter, ...] = ("STUDY_ID", "SESSION_ID")
    codes: tuple[Name, ...] = ()
    title: Line = "Who are you?"

    @model_validator(mode="after")
    def _codes_fit(self) -> "Participants":
        if self.from_ == "codes" and not self.codes:
            raise ValueError("from: codes needs the list codes")
        if self.from_ != "codes" and self.codes:
            raise ValueError(f"codes are not used with from: {self.from_}; leave them out")
        if twice := sorted({code for code in self.codes if self.codes.count(code) > 1}):
            raise ValueError(f"the code {twice[0]} is listed twice")
        return self


class Block(Part):
    """Tasks that are played one after the other, behind a page with `title` and `text`.

    `tasks`: ids of the battery, or files' paths (from the folder of the study's file on). `feedback`: whether
    health, rewards and success are shown. `may_stop`: whether the person may end a task themselves.
    `limit_s`: seconds in the arena after which a task is ended; without it by the arena's own limit only.
    """

    tasks: Literal["children"] | tuple[Line, ...] = ()
    title: str = ""
    text: str = ""
    feedback: bool = True
    may_stop: bool = False
    views: Annotated[tuple[View, ...], Field(min_length=1)] = ("first",)
    limit_s: float | None = Field(default=None, gt=0, le=1200)


class Practice(Block):
    """Tasks that must be passed; after `tries` the next one comes all the same.

    `tries` none: as often as needed.
    """

    tries: int | None = Field(default=3, ge=1, le=100)


class Test(Block):
    """The tasks that count.

    `tasks` may also be the word `children`: the 40 tasks that children did. Instead, `levels` draws from the
    battery as many tasks of each level as it says, the same for everybody. `order`: as listed, random for
    each person, or counterbalanced so that over people each task (`by: task`) or level (`by: level`) comes
    equally often at each place and after each other one. `break_every` tasks there is a break. After
    `limit_minutes` of playing no further task begins.
    """

    levels: dict[Annotated[int, Field(ge=1, le=10)], Annotated[int, Field(ge=1)]] = Field(default={})
    order: Literal["listed", "random", "latin-square"] = "listed"
    by: Literal["task", "level"] = "task"
    break_every: int | None = Field(default=None, ge=1)
    limit_minutes: float | None = Field(default=None, gt=0)
    feedback: bool = False

    @model_validator(mode="after")
    def _one_source(self) -> "Test":
        if bool(self.tasks) == bool(self.levels):
            raise ValueError("either tasks or levels says what is played; give one of them")
        return self


class Completion(Part):
    """The last page. `link` may hold `{participant}` and `{code}`, for example Prolific's address."""

    title: Line = "Thank you!"
    text: Text = "You have done all of it. Thank you for taking part."
    code: str = ""
    link: str | None = Field(default=None, pattern=r"^https?://[^\s\"'<>]+$", max_length=2000)


class Study(Part):
    """A whole study."""

    name: Name
    title: Line
    language: str = Field(default="en", pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
    contact: str = ""
    seed: int = Field(default=0, ge=0, lt=2**31)
    mode: Mode = "keys"
    animal_ai: Literal["3.1.3", "4"] = "3.1.3"
    consent: Consent
    participants: Participants
    tutorial: Block | None = None
    practice: Practice | None = None
    test: Test
    questionnaires: tuple[Questionnaire, ...] = ()
    completion: Completion = Completion()
    words: Words = Words()
    play_words: dict[str, Line] = Field(default={})

    @field_validator("questionnaires")
    @classmethod
    def _names_once(cls, pages: tuple[Questionnaire, ...]) -> tuple[Questionnaire, ...]:
        names = [page.name for page in pages]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two questionnaires are named {twice[0]}")
        return pages

    @field_validator("play_words")
    @classmethod
    def _phrases_known(cls, words: dict[str, str]) -> dict[str, str]:
        for phrase in words:
            if phrase not in PHRASES:
                near = get_close_matches(phrase, PHRASES, n=1, cutoff=0.4)
                hint = f"did you mean {near[0]!r}?" if near else "`--example` shows some"
                raise ValueError(f"the page of the game has no {phrase!r}; {hint}")
        return words

    @model_validator(mode="after")
    def _fits(self) -> "Study":
        if any(page.when == "between" for page in self.questionnaires) and self.test.break_every is None:
            raise ValueError("a questionnaire comes between, at breaks, but the test has no break_every")
        for name in ("tutorial", "practice"):
            block = getattr(self, name)
            if block is not None and not block.tasks:
                raise ValueError(f"{name} has no tasks; list some, or leave it out")
        if self.mode == "scripts" and any(block.limit_s for block in self.blocks()):
            raise ValueError("limit_s ends tasks that are played by keys; with mode: scripts leave it out")
        if self.mode == "scripts" and any(block.views != ("first",) for block in self.blocks()):
            raise ValueError("mode: scripts shows the pictures that a model gets; views is [first]")
        return self

    def blocks(self) -> tuple[Block, ...]:
        """Tutorial, practice and test, as far as they are there."""
        return tuple(block for block in (self.tutorial, self.practice, self.test) if block is not None)
