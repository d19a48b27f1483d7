"""A demonstration episode that can precede a conversation: ours, drawn by our own arena, or one of a file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from arena import Episode, load_text
from llm_control.choices import ArenaChoices
from llm_control.play import ScriptedEpisode, TurnRecord
from render import Frame, Renderer

Picture = Frame | bytes
"""A frame, or the bytes of an image file that is sent as it is."""


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn of a demonstration's file; `health` from 0 to 100 and `reward` are those after the script.

    The health is unknown only for a turn that no picture follows.
    """

    turn: int
    reply: str
    health: float | None
    reward: float
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Demonstration:
    """The episode: its first pictures, then each script with what came of it and the pictures after it.

    The last script ends the episode, so no picture follows it. `first_health` is that at the first
    picture, `health` that before the first script. `source` names its origin; empty for ours.
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
        """Each turn with the pictures after it."""
        yield from zip(self.turns, self.pictures, strict=True)


def chosen_demonstration(choices: ArenaChoices) -> Demonstration:
    """The demonstration that the choices name: ours, or that of a file. Raises ConfigError."""
    if not isinstance(choices.demonstration, str):
        return demonstration(choices.image_size)
    from llm_control.demonstration.file import read_demonstration

    return read_demonstration(Path(choices.demonstration))


@cache
def demonstration(image_size: int) -> Demonstration:
    """Ours, with pictures of that many pixels a side; the same bits each time."""
    folder = files("llm_control") / "demonstration"
    spec = load_text((folder / "arena.yaml").read_text(encoding="utf-8"), "demonstration").arenas[0]
    scripts = (folder / "scripts.txt").read_text(encoding="utf-8").splitlines()
    play = ScriptedEpisode(
        Episode(spec, task_id="demonstration"), Renderer(image_size, image_size), ArenaChoices()
    )
    first = play.begin()
    health = play.episode.health
    pictures = tuple(() if play.reply(script).done else (play.frame(),) for script in scripts)
    turns = play.finish()[0]
    reward = play.episode.total_reward
    return Demonstration(first, play.first_health, health, turns, pictures, str(turns[-1].outcome), reward)
