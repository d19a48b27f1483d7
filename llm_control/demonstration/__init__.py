"""Demonstration episodes before a conversation: the arena's own, or from a file."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

import yaml
from pydantic import BaseModel, Field, ValidationError, model_validator

from arena import Episode, load_text
from arena.errors import ConfigError
from arena.files import MAX_DATA_BYTES, read_bytes, read_text
from arena.taskfile.nodes import compose, plain_values
from llm_control.choices import ArenaChoices
from llm_control.play import ScriptedEpisode, TurnRecord
from render import Frame, Renderer, decode

Picture = Frame | bytes
"""Frame, or the bytes of an image file that is sent unchanged."""


class ShownTurn(NamedTuple):
    """Turn of a demonstration's file. `health` (0 to 100) and `reward` after its script. The health is
    unknown only for a turn without a following picture."""

    turn: int
    reply: str
    health: float | None
    reward: float
    error: str | None = None


class Demonstration(NamedTuple):
    """Demonstration: first pictures, then scripts with their results and pictures.

    The last script ends the episode, so no picture follows it. `first_health` is that at the first picture,
    `health` that before the first script. `source` names its origin; empty for ours.
    """

    first_pictures: tuple[Picture, ...]
    first_health: float
    health: float
    turns: Sequence[TurnRecord | ShownTurn]
    pictures: tuple[tuple[Picture, ...], ...]
    outcome: str
    total_reward: float
    source: str = ""

    def exchanges(self) -> Iterator[tuple[TurnRecord | ShownTurn, tuple[Picture, ...]]]:
        """Yield each turn with the pictures after it."""
        yield from zip(self.turns, self.pictures, strict=True)


def chosen_demonstration(choices: ArenaChoices) -> Demonstration:
    """Load the chosen demonstration, ours or a file's. Raises ConfigError."""
    if not isinstance(choices.demonstration, str):
        return demonstration(choices.image_size)
    return read_demonstration(Path(choices.demonstration))


@cache
def demonstration(image_size: int) -> Demonstration:
    """Build our demonstration, with square pictures of this size. Always the same bits."""
    folder = files("llm_control") / "demonstration"
    spec = load_text((folder / "arena.yaml").read_text(encoding="utf-8"), "demonstration").arenas[0]
    scripts = (folder / "scripts.txt").read_text(encoding="utf-8").splitlines()
    play = ScriptedEpisode(
        Episode(spec, task_id="demonstration"), Renderer(image_size, image_size).frame, ArenaChoices()
    )
    first = play.begin()
    health = play.episode.health
    pictures = tuple(() if play.reply(script).done else (play.frame(),) for script in scripts)
    turns = play.finish()[0]
    reward = play.episode.total_reward
    return Demonstration(first, play.first_health, health, turns, pictures, str(turns[-1].outcome), reward)


Health = Annotated[float, Field(ge=0, le=100)]


class FirstView(BaseModel, frozen=True, extra="forbid"):
    """View before the first script, with the health, 0 to 100."""

    pictures: tuple[str, ...] = Field(min_length=1)
    health: Health


class FileTurn(BaseModel, frozen=True, extra="forbid"):
    """Script with its pictures (none after the last), and their health."""

    script: str = Field(min_length=1)
    health: Health | None = None
    reward: float = 0.0
    pictures: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.pictures and self.health is None:
            raise ValueError("a health with its pictures")
        return self


class DemonstrationFile(BaseModel, frozen=True, extra="forbid"):
    """Keys of `demonstration.yaml`; pictures are PNG or JPEG, relative to its folder."""

    source: str = ""
    first: FirstView
    turns: tuple[FileTurn, ...] = Field(min_length=1)
    outcome: str = "goal"
    total_reward: float = 0.0


def read_demonstration(path: Path) -> Demonstration:
    """Read a demonstration. Raises ConfigError, with file:line, for unusable values."""
    found = _read(path)
    turns = tuple(
        ShownTurn(number, turn.script, turn.health, turn.reward)
        for number, turn in enumerate(found.turns, start=1)
    )
    return Demonstration(
        tuple(_picture(path, name) for name in found.first.pictures),
        found.first.health,
        found.first.health,
        turns,
        tuple(tuple(_picture(path, name) for name in turn.pictures) for turn in found.turns),
        found.outcome,
        found.total_reward,
        found.source,
    )


def file_sha256(path: Path) -> str:
    """Hash the file and its pictures (SHA-256, hexadecimal). Raises ConfigError."""
    found = _read(path)
    names = (*found.first.pictures, *(name for turn in found.turns for name in turn.pictures))
    digest = hashlib.sha256(read_bytes(path))
    for name in names:
        digest.update(hashlib.sha256(_picture(path, name)).digest())
    return digest.hexdigest()


def _read(path: Path) -> DemonstrationFile:
    root = compose(read_text(path), str(path))
    try:
        return DemonstrationFile.model_validate(plain_values(root, str(path)))
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, problem["loc"])) or "the file"
        expected = problem["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
        raise ConfigError(
            f"demonstration {path}:{_line(root, problem['loc'])}: {where}: expected {expected}"
        ) from None


def _line(node: yaml.Node | None, place: Sequence[Any]) -> int:
    """Find the line of a value, or of the nearest enclosing one."""
    if node is None:
        return 1
    inner = None
    if place and isinstance(node, yaml.MappingNode):
        inner = next((value for key, value in node.value if key.value == str(place[0])), None)
    elif place and isinstance(node, yaml.SequenceNode):
        inner = dict(enumerate(node.value)).get(place[0])
    return node.start_mark.line + 1 if inner is None else _line(inner, place[1:])


def _picture(path: Path, name: str) -> bytes:
    try:
        data = read_bytes(path.parent / name, MAX_DATA_BYTES)
    except (OSError, ValueError) as error:
        raise ConfigError(f"demonstration {path}: picture {name}: cannot be read ({error})") from None
    try:
        decode(data)
        if not data.startswith((b"\xff\xd8", b"\x89PNG")):
            raise ValueError("another kind of picture")
    except Exception as error:  # Pillow raises many kinds
        raise ConfigError(f"demonstration {path}: picture {name}: no PNG or JPEG ({error})") from None
    return data
