"""The schema of a study's file."""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from evaluation.by_hand.form import NAME, Accepted, Item, Line, Name, Prose, Section, duplicates
from people.play.pacing import PICTURE, Picture
from people.play.worker_protocol import Mode, Palette, View
from people.texts import LANGUAGES, PAGE_TEXTS, Texts, base_of
from testbed import SHORT_FORM

Order = Literal["listed", "random", "latin-square"]

CHECKED = str(Path(__file__).with_name("picture.yaml"))
"""The arena in which the picture is checked."""


OF_ARENA = {
    "limit_pause_s": "tasks of the suite {suite} have no clock that could be paused",
    "levels": "only the arena has levels; list tasks of the suite {suite}",
    "views": "only the arena has views",
}
"""Keys of blocks only for tasks of the arena, and the reasons."""


class Block(Section):
    """Tasks that are played one after another, introduced by a page.

    The page has `title`, `text` and `sound`. Models read `title` and `prompt`, by default `text`, before each
    of the tasks.

    `tasks`: `short-form` (40 tasks), `children` (those that children did, of the original's files), or ids of
    the battery, or paths of files relative to the study's file. `feedback`: whether health, rewards and
    success are shown. `may_stop`: whether participants may end a task themselves. `limit_s`: seconds of play
    after which a task is ended (default: its own limit only), of another suite those since its first form was
    shown. `limit_pause_s`: seconds for which a task of the arena may be paused altogether (default: no
    limit). `suite`: suite of the tasks (default: the arena), with `choices` as options of `arena-llm play
    --suite`.
    """

    tasks: Literal["short-form", "children"] | tuple[Line, ...] = ()
    title: str = ""
    text: str = ""
    prompt: str = ""
    sound: Line | None = None
    feedback: bool = True
    may_stop: bool = False
    views: Annotated[tuple[View, ...], Field(min_length=1)] = ("first",)
    limit_s: float | None = Field(default=None, gt=0, le=1200)
    limit_pause_s: float | None = Field(default=None, ge=1, le=86_400)
    suite: Name | None = None
    choices: dict[Name, str | bool | int | float] = Field(default={})

    @model_validator(mode="after")
    def _fits_the_suite(self) -> Self:
        if self.suite is None and self.choices:
            raise ValueError("choices belong to a suite; name it with suite, or remove them")
        if self.suite is None:
            return self
        if isinstance(self.tasks, str):
            raise ValueError(f"tasks: {self.tasks} are tasks of the arena, not of the suite {self.suite}")
        for name in OF_ARENA.keys() & self.model_fields_set:
            why = OF_ARENA[name].format(suite=self.suite)
            raise ValueError(f"{name}: {why}; remove it, or suite: {self.suite}")
        return self

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The listed tasks one by one."""
        return SHORT_FORM if isinstance(self.tasks, str) else self.tasks


class PassedOf(Section):
    """Required passes among the last attempts, over all practice tasks."""

    passed: int = Field(ge=1)
    of_last: int = Field(ge=1)

    @model_validator(mode="after")
    def _can_be_met(self) -> "PassedOf":
        if self.passed > self.of_last:
            raise ValueError(f"got {self.passed} passed of the last {self.of_last}, which is impossible")
        return self


Criterion = Annotated[PassedOf | None, BeforeValidator(lambda given: None if given == "all" else given)]


class Practice(Block):
    """Tasks that must be passed.

    After `tries` attempts (None: no limit) the next one follows anyway. `criterion`: the practice's goal;
    None, in the file "all": each task is passed. As soon as another one is met, the practice is over.
    `if_failed`: whether the study continues without it, or ends.
    """

    tries: int | None = Field(default=3, ge=1, le=100)
    criterion: Criterion = None
    if_failed: Literal["continue", "end"] = "continue"

    @model_validator(mode="after")
    def _can_be_met(self) -> "Practice":
        if self.criterion is None or not self.tasks:
            return self
        count, passed, last = len(self.task_ids), self.criterion.passed, self.criterion.of_last
        if passed > count:
            raise ValueError(f"criterion: got passed: {passed}, but each of the {count} tasks is passed once")
        if self.tries and last > count * self.tries:
            raise ValueError(f"criterion: got of_last: {last}, but there are {count * self.tries} attempts")
        return self


class Test(Block):
    """A block of the tasks that count; `name` distinguishes several.

    `tasks` may also be the word `children`: the 40 tasks that children did. Instead, `levels` draws the given
    number of tasks of each level from the battery, the same for everyone. `order`: as listed, random for each
    participant, or counterbalanced, so that over participants each task (`by: task`), or each level of the
    arena or group of another suite (`level`, `group`), appears equally often in each position and after each
    other one. A break follows every `break_every` tasks. After `limit_minutes` of playing no further task of
    the block starts.
    """

    name: Name = "test"
    levels: dict[Annotated[int, Field(ge=1, le=10)], Annotated[int, Field(ge=1)]] = Field(default={})
    order: Order = "listed"
    by: Literal["task", "level", "group"] = "task"
    break_every: int | None = Field(default=None, ge=1)
    limit_minutes: float | None = Field(default=None, gt=0)
    feedback: bool = False

    @model_validator(mode="after")
    def _one_source(self) -> "Test":
        if bool(self.tasks) == bool(self.levels):
            raise ValueError("give either tasks or levels, not both")
        if self.name in ("tutorial", "practice", PICTURE):
            raise ValueError(f"name: {self.name} is the name of another block; use another")
        return self


def _names_once(blocks: tuple[Test, ...]) -> tuple[Test, ...]:
    if twice := duplicates(block.name for block in blocks):
        raise ValueError(f"two blocks are named {twice[0]}; give each a name of its own")
    return blocks


Tests = Annotated[
    tuple[Test, ...],
    Field(min_length=1),
    BeforeValidator(lambda given: (given,) if isinstance(given, Mapping) else given),
    AfterValidator(_names_once),
]


PARAMETER = r"^[A-Za-z0-9_.-]{1,64}$"
WEB_LINK = r"^https?://[^\s\"'<>]+$"
LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
DURATION = r"^[1-9][0-9]{0,3} ?(min|h|d)$"
PATTERNS = {
    NAME: "1 to 64 letters, digits, '_', '-' or '.', with a letter or digit first",
    PARAMETER: "1 to 64 letters, digits, '_', '-' or '.'",
    WEB_LINK: "an address that begins with https:// or http://, without spaces or quotes",
    LANGUAGE: "the code of a language, such as en or pt-BR",
    DURATION: "a whole number and a unit, min, h or d, such as 90 min",
}
"""Meanings of the text patterns, in words."""

Parameter = Annotated[str, Field(pattern=PARAMETER)]
WebLink = Annotated[str, Field(pattern=WEB_LINK, max_length=2000)]

SIGNATURE = "signature"
"""Parameter of a link with the signature of the participant's id. It is not stored."""

TEST = "test"
"""Parameter of a preview's link, signed as well, and not stored either."""


DIFFERING = (
    *("tutorial", "practice", "test", "block_order", "questionnaires", "attention"),
    *("completion", "words", "play_words"),
)
"""Sections that may differ between conditions."""

Changes = Annotated[dict[str, Any], BeforeValidator(lambda given: {} if given is None else given)]


class Consent(Section):
    """The consent form, in Markdown; `version` is stored with each consent. `sound` is a file with its text
    read aloud. `agree` and `refuse` are its buttons, by default those of `Texts`."""

    version: Name
    text: Prose
    sound: Line | None = None
    title: Line = "Taking part in this study"
    agree: Line | None = None
    refuse: Line | None = None


class Assent(Consent):
    """The child's own agreement, a page after the parent's consent."""

    title: Line = "Would you like to take part?"


class Participants(Section):
    """Identification of participants: by a link's parameter, or by a code.

    `from_` "link": the parameter `id` identifies the participant, those in `keep` are stored as well. Links
    are signed (see `identity`); with `unsigned` others are accepted as well, so that anyone who knows an id
    can continue as that participant. The parameter `condition`, if given, names the condition, which is
    otherwise assigned. "codes": only the listed codes are accepted; "free": any code is. Newcomers are turned
    away while `quota` participants take part, without those for whom the study ended early. Participants who
    are inactive for `timeout` have left, until they come back. `kind`: the kind of people, by default
    children if the study has an `assent` or is in child style, otherwise adults.
    """

    from_: Literal["link", "codes", "free"] = Field(alias="from")
    id: Parameter = "PROLIFIC_PID"
    keep: tuple[Parameter, ...] = ("STUDY_ID", "SESSION_ID")
    condition: Parameter | None = None
    unsigned: bool = False
    codes: tuple[Name, ...] = ()
    quota: int | None = Field(default=None, ge=1)
    timeout: str | None = Field(default=None, pattern=DURATION)
    kind: Literal["child", "adult"] | None = None
    title: Line = "Who are you?"

    @property
    def timeout_s(self) -> float | None:
        """Seconds without an action after which a participant has left. None: no such limit."""
        if self.timeout is None:
            return None
        unit = self.timeout.lstrip("0123456789").strip()
        return int(self.timeout.removesuffix(unit)) * {"min": 60.0, "h": 3600.0, "d": 86400.0}[unit]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of participants' links that are stored."""
        return tuple(dict.fromkeys((self.id, *((self.condition,) if self.condition else ()), *self.keep)))

    @model_validator(mode="after")
    def _codes_fit(self) -> "Participants":
        if self.from_ == "codes" and not self.codes:
            raise ValueError("from: codes needs the list codes")
        if self.from_ != "codes" and self.codes:
            raise ValueError(f"codes are not used with from: {self.from_}; remove them")
        for key in ("unsigned", "condition"):
            if self.from_ != "link" and getattr(self, key):
                raise ValueError(f"{key} applies to links, not to from: {self.from_}; remove it")
        if taken := {SIGNATURE, TEST} & set(self.parameters):
            raise ValueError(f"the parameter {taken.pop()} is reserved for signed links; use another name")
        if twice := duplicates(self.codes):
            raise ValueError(f"the code {twice[0]} is listed twice")
        return self


class Questionnaire(Section):
    """Questions on one page. `when`: before the tutorial, at every break, or after the last task.

    It is shown if the answers to all items of `if_` fit. Who gives an answer to an item of `screen` that is
    not accepted does not take part: the study ends after the page. In a study's file `survey` is the name of
    a file for SurveyJS, whose questions then are the items.
    """

    name: Name
    when: Literal["before", "between", "after"]
    if_: dict[str, Accepted] = Field(default={}, alias="if")
    screen: dict[str, Accepted] = Field(default={})
    title: Line
    text: str = ""
    sound: Line | None = None
    items: Annotated[tuple[Item, ...], Field(min_length=1, max_length=200)]
    survey: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _ids_once(self) -> "Questionnaire":
        if twice := duplicates(item.id for item in self.items):
            raise ValueError(f"two items have the id {twice[0]}")
        return self

    def item(self, name: str) -> Item:
        """Return the item with this id."""
        return next(item for item in self.items if item.id == name)


class Attention(Section):
    """Attention checks, items with `expect`. Participants who fail more than `allowed` are screened out."""

    allowed: int = Field(default=0, ge=0)


class Returns(Section):
    """Links for participants who did not complete the study as planned.

    None: none, or that of completion. `refused`: did not agree; `stopped`: left the study; `screened`: does
    not fit the study, or failed attention checks; `device`: did not pass the check of the picture; `failed`:
    did not meet the criterion of the practice; `late`: `limit_minutes` was over before the last test task.
    The last two otherwise get `completion.link`, unless the practice ended the study.
    """

    refused: WebLink | None = None
    stopped: WebLink | None = None
    screened: WebLink | None = None
    device: WebLink | None = None
    failed: WebLink | None = None
    late: WebLink | None = None


class Completion(Section):
    """The last page. `link` may contain `{participant}`, `{code}` and parameters of participants' links. The
    links of `returns` may contain the same except for `{code}`."""

    title: Line = "Thank you!"
    text: Prose = "You have completed the study. Thank you for taking part."
    sound: Line | None = None
    code: str = ""
    link: WebLink | None = None
    returns: Returns = Returns()


class Study(Section):
    """A whole study.

    `style` "child": all texts of the pages are in words for children of about seven years, one question is
    shown at a time, and a star for each ball stands for the rewards. `agents`: choices of models and policies
    in the arena, as options of `arena-llm eval`. `palette` "colour-safe": in the pictures red has some blue.
    `speech`: texts can be read aloud by a voice of the browser. `block_order`: the order of the test's
    blocks, as `order` of tasks. `conditions`: the differences from the rest of the file for the participants
    in each, as {"hard": {"test": {"tasks": ...}}}.
    """

    name: Name
    title: Line
    language: str = Field(default="en", pattern=LANGUAGE)
    style: Literal["child"] | None = None
    palette: Palette = "standard"
    speech: bool = False
    contact: str = ""
    seed: int = Field(default=0, ge=0, lt=2**31)
    mode: Mode = "keys"
    animal_ai: Literal["3.1.3", "4", "4.1", "2"] = "3.1.3"
    agents: dict[Name, str | bool | int | float] = Field(default={})
    consent: Consent
    assent: Assent | None = None
    participants: Participants
    picture: Picture | None = None
    tutorial: Block | None = None
    practice: Practice | None = None
    test: Tests
    block_order: Order = "listed"
    conditions: dict[Name, Changes] = Field(default={})
    questionnaires: tuple[Questionnaire, ...] = ()
    attention: Attention | None = None
    completion: Completion = Completion()
    words: Texts = Texts()
    play_words: dict[str, Line] = Field(default={})

    @field_validator("questionnaires")
    @classmethod
    def _names_once(cls, pages: tuple[Questionnaire, ...]) -> tuple[Questionnaire, ...]:
        if twice := duplicates(page.name for page in pages):
            raise ValueError(f"two questionnaires are named {twice[0]}")
        for page in pages:
            between = {f"{other.name}-" for other in pages if other.when == "between"}
            if any(page.name.startswith(name) and page.name.removeprefix(name).isdigit() for name in between):
                raise ValueError(f"{page.name}: answers at a break are stored under this name; use another")
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
        breaks = any(block.break_every for block in self.test)
        if any(page.when == "between" for page in self.questionnaires) and not breaks:
            raise ValueError("a questionnaire is shown at breaks (between), but the test has no break_every")
        if self.block_order != "listed" and len(self.test) == 1:
            raise ValueError("block_order needs several blocks; make test a list of blocks")
        if self.style and base_of(self.language) not in ("en", *LANGUAGES):
            spoken = ", ".join(("en", *LANGUAGES))
            raise ValueError(f"style: {self.style} exists in {spoken}, but the language is {self.language}")
        if len(self.conditions) == 1:
            raise ValueError("got one condition, expected none or several")
        if self.picture and (self.mode == "scripts" or all(block.suite for block in self.test)):
            raise ValueError("picture applies to arenas played with keys, and the study has none")
        for name, block in self.blocks().items():
            if not (block.tasks or block in self.test):
                raise ValueError(f"{name} has no tasks; list some, or remove it")
            if self.mode == "scripts" and block.suite is None and block.limit_pause_s:
                raise ValueError(
                    "limit_pause_s ends tasks that are played with keys; remove it with mode: scripts"
                )
            if self.mode == "scripts" and block.views != ("first",):
                raise ValueError("mode: scripts shows the images that a model gets; views must be [first]")
        return self

    @property
    def kind(self) -> Literal["child", "adult"]:
        """Kind of people who take part."""
        return self.participants.kind or ("child" if self.style == "child" or self.assent else "adult")

    def blocks(self) -> dict[str, Block]:
        """Blocks by name: picture check, tutorial, practice, if any, and the test's."""
        picture, check = self.picture, None
        if picture is not None:
            check = Practice(tasks=(CHECKED,), feedback=False, limit_s=picture.seconds, tries=picture.tries)
        warm_up = {PICTURE: check, "tutorial": self.tutorial, "practice": self.practice}
        present: dict[str, Block] = {name: block for name, block in warm_up.items() if block is not None}
        return present | {block.name: block for block in self.test}
