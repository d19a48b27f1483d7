"""A demonstration episode, replayed and drawn by our own arena, that can precede a conversation."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from arena import Episode, load_text
from llm_control.choices import ArenaChoices
from llm_control.play import ScriptedEpisode, TurnRecord
from render import Frame, Renderer


@dataclass(frozen=True, slots=True)
class Demonstration:
    """The episode: its first pictures, then each script with what came of it and the picture after it.

    The last script ends the episode, so no picture follows it.
    """

    first_frames: tuple[Frame, ...]
    first_health: float
    turns: tuple[TurnRecord, ...]
    frames: tuple[Frame, ...]
    total_reward: float

    def exchanges(self) -> Iterator[tuple[TurnRecord, Frame | None]]:
        """Each turn with the picture after it, None after the last."""
        yield from zip(self.turns, (*self.frames, None), strict=True)


@cache
def demonstration(image_size: int) -> Demonstration:
    """The demonstration with pictures of that many pixels a side; the same bits each time."""
    folder = files("llm_control") / "demonstration"
    spec = load_text((folder / "arena.yaml").read_text(encoding="utf-8"), "demonstration").arenas[0]
    scripts = (folder / "scripts.txt").read_text(encoding="utf-8").splitlines()
    play = ScriptedEpisode(
        Episode(spec, task_id="demonstration"), Renderer(image_size, image_size), ArenaChoices()
    )
    first = play.begin()
    health = play.episode.health
    frames = []
    for script in scripts:
        if not play.reply(script).done:
            frames.append(play.frame())
    return Demonstration(first, health, play.finish()[0], tuple(frames), play.episode.total_reward)
