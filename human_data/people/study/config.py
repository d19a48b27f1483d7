"""The schema of a study's file."""

from difflib import get_close_matches
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from human_data.people.play.page_texts import PAGE_TEXTS
from human_data.people.play.worker_protocol import Mode, View
from human_data.people.study.items import Questionnaire, duplicates
from human_data.people.study.texts import Line, Name, Section, Text, Texts

Parameter = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]
WebLink = Annotated[str, Field(pattern=r"^https?://[^\s\"'<>]+$", max_length=2000)]

SIGNATURE = "signature"
"""Parameter of a link with the signature of the participant's id; it is not stored."""

TEST = "test"
"""Parameter of a preview's link, signed as well, and not stored either."""


class Consent(Section):
    """The consent form, in Markdown; `version` is stored with each consent."""

    version: Name
    text: Text
    title: Line = "Taking part in this study"


class Participants(Section):
    """How participants are identified: by a parameter of their link, or by a code.

    `from_` "link": the parameter `id` identifies the participant, those in `keep` are stored as well.
    Links are signed (see `identity`); with `unsigned` others are accepted as well, so that anyone who knows
    an id can continue as that participant. "codes": only the listed codes are accepted; "free": any code is.
    Newcomers are turned away while `quota` participants take part, without those who left.
    """

    from_: Literal["link", "codes", "free"] = Field(alias="from")
    id: Parameter = "PROLIFIC_PID"
    keep: tuple[Parameter, ...] = ("STUDY_ID", "SESSION_ID")
    unsigned: bool = False
    codes: tuple[Name, ...] = ()
    quota: int | None = Field(default=None, ge=1)
    title: Line = "Who are you?"

    @model_validator(mode="after")
    def _codes_fit(self) -> "Participants":
        if self.from_ == "codes" and not self.codes:
            raise ValueError("from: codes needs the list codes")
        if self.from_ != "codes" and self.codes:
            raise ValueError(f"codes are not used with from: {self.from_}; remove them")
        if self.from_ != "link" and self.unsigned:
            raise ValueError(f"unsigned is about links and not used with from: {self.from_}; remove it")
        if taken := {SIGNATURE, TEST} & {self.id, *self.keep}:
            raise ValueError(f"the parameter {taken.pop()} is that of signed links; use another name")
        if twice := duplicates(self.codes):
            raise ValueError(f"the code {twice[0]} is listed twice")
        return self


class Block(Section):
    """Tasks that are played one after another, introduced by a page with `title` and `text`.

    `tasks`: ids of the battery, or paths of files relative to the study's file. `feedback`: whether
    rewards and success are shown. `may_stop`: whether participants may end a task themselves. `limit_s`:
    seconds of play after which a task is ended (default: the arena's own limit only), `limit_pause_s`:
    seconds for which it may be paused altogether (default: no limit).
    """

    tasks: Literal["children"] | tuple[Line, ...] = ()
    title: str = ""
    text: str = ""
    feedback: bool = True
    may_stop: bool = False
    views: Annotated[tuple[View, ...], Field(min_length=1)] = ("first",)
    limit_s: float | None = Field(default=None, gt=0, le=1200)
    limit_pause_s: float | None = Field(default=None, ge=1, le=86_400)


class Practice(Block):
    """Tasks that must be passed; after `tries` attempts (None: no limit) the next one follows anyway."""

    tries: int | None = Field(default=3, ge=1, le=100)


class Test(Block):
    """The tasks that count.

    `tasks` may also be the word `children`: the 40 tasks that children did. Instead, `levels` draws the given
    number of tasks of each level from the battery, the same for everyone. `order`: as listed, random for each
    participant, or counterbalanced, so that over participants each task (`by: task`) or level (`by: level`)
    appears equally often in each position and after each other one. A break follows every `break_every`
    tasks. After `limit_minutes` of playing no further task starts.
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
            raise ValueError("either tasks or levels must be given, and not both")
        return self


class Returns(Section):
    """Links for participants who did not complete the study as planned; None: none, or that of completion.

    `refused`: did not agree; `stopped`: left the study; `failed`: did not pass a practice task in its tries;
    `late`: `limit_minutes` was over before the last test task. The last two otherwise get `completion.link`.
    """

    refused: WebLink | None = None
    stopped: WebLink | None = None
    failed: WebLink | None = None
    late: WebLink | None = None


class Completion(Section):
    """The last page. `link` may contain `{participant}`, `{code}` and parameters of participants' links.

    The links of `returns` may contain the same except for `{code}`.
    """

    title: Line = "Thank you!"
    text: Text = "You have completed the study. Thank you for taking part."
    code: str = ""
    link: WebLink | None = None
    returns: Returns = Returns()


class Study(Section):
    """A whole study."""

    name: Name
    title: Line
    language: str = Field(default="en", pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
    contact: str = ""
    seed: int = Field(default=0, ge=0, lt=2**31)
    mode: Mode = "keys"
    animal_ai: Literal["3.1.3", "4", "2"] = "3.1.3"
    consent: Consent
    participants: Participants
    tutorial: Block | None = None
    practice: Practice | None = None
    test: Test
    questionnaires: tuple[Questionnaire, ...] = ()
    completion: Completion = Completion()
    words: Texts = Texts()
    play_words: dict[str, Line] = Field(default={})

    @field_validator("questionnaires")
    @classmethod
    def _names_once(cls, pages: tuple[Questionnaire, ...]) -> tuple[Questionnaire, ...]:
        if twice := duplicates(page.name for page in pages):
            raise ValueError(f"two questionnaires are named {twice[0]}")
        return pages

    @field_validator("play_words")
    @classmethod
    def _texts_exist(cls, texts: dict[str, str]) -> dict[str, str]:
        for text in texts:
            if text not in PAGE_TEXTS:
                near = get_close_matches(text, PAGE_TEXTS, n=1, cutoff=0.4)
                hint = f"did you mean {near[0]!r}?" if near else "`--example` shows some"
                raise ValueError(f"the game page has no text {text!r}; {hint}")
        return texts

    @model_validator(mode="after")
    def _fits(self) -> "Study":
        if any(page.when == "between" for page in self.questionnaires) and self.test.break_every is None:
            raise ValueError("a questionnaire is shown at breaks (between), but the test has no break_every")
        for phase, block in self.blocks().items():
            if not (block.tasks or isinstance(block, Test)):
                raise ValueError(f"{phase} has no tasks; list some, or remove it")
            for limit in ("limit_s", "limit_pause_s"):
                if self.mode == "scripts" and getattr(block, limit):
                    raise ValueError(
                        f"{limit} ends tasks that are played with keys; remove it with mode: scripts"
                    )
            if self.mode == "scripts" and block.views != ("first",):
                raise ValueError("mode: scripts shows the images that a model gets; views must be [first]")
        return self

    def blocks(self) -> dict[Literal["tutorial", "practice", "test"], Block]:
        """Those of tutorial, practice and test that the study has."""
        blocks: dict[Literal["tutorial", "practice", "test"], Block | None]
        blocks = {"tutorial": self.tutorial, "practice": self.practice, "test": self.test}
        return {phase: block for phase, block in blocks.items() if block is not None}
