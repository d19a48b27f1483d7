"""Agents of many kinds on our battery and on the original: the table that links the two batteries.

`python -m benchmarks.linking --original original --out human_data/agents_on_both_batteries.csv` measures it
again. The agents range from random actions to a planner that knows the layout; those with limits are weaker
variants of one kind, so that the table covers all pass rates.
"""

from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from multiprocessing import Pool
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pandas as pd
import typer
from rich.progress import track

from arena import Episode
from arena.files import write_file
from arena.rays import CAST_LENGTH, FRACTION
from arena.seeds import episode_rng
from arena.taskfile.versions import Version
from arena_llm.options import located_testbed
from benchmarks import run
from human_data.baselines import TABLES
from human_data.linking import ORIGINAL, SHIPPED, short_form_version
from llm_control.agents.pixels import answer
from llm_control.agents.step_agents import STEP_AGENTS, Braitenberg, StepAgent
from llm_control.choices import ArenaChoices
from llm_control.offline import fruitless
from llm_control.play import ScriptedEpisode
from llm_control.script import random_script
from render import Renderer
from testbed import SHORT_FORM, find_tasks
from testbed.oracle.attempt import Attempt
from testbed.oracle.local_planner import Leg
from testbed.oracle.motion import waiting
from testbed.oracle.world_model import Strategy

Player = Callable[[Episode, np.random.Generator], None]
"""Plays an episode to its end."""


class ShortSighted(Braitenberg):
    """The vehicle, to which food is visible only up to 10 m of a ray."""

    def _food(self, rows: npt.NDArray[np.float32], way: npt.NDArray[np.float32]) -> tuple[float, float]:
        far = (rows[:, FRACTION] * CAST_LENGTH > 10.0)[:, None]
        return super()._food(np.where(far, 0, rows), way)


class Fearless(Braitenberg):
    """The vehicle without fear: it heads for the nearest food whatever lies in its way."""

    def _push(self, rows: npt.NDArray[np.float32], way: npt.NDArray[np.float32], food_way: float) -> float:
        return 0.0


class Lapsing(Attempt):
    """A planner that drives at random in 30 % of its legs instead of along its plan."""

    def _drive(self, leg: Leg) -> None:
        if self._rng.random() < 0.3:
            self.driver.turn(int(self._rng.integers(-15, 16)))
            self.driver.drive(int(self._rng.integers(1, 9)))
        else:
            super()._drive(leg)


class Hasty(Attempt):
    """A planner that gives up after 80 steps: then it stands still."""

    def _turn(self) -> bool:
        return self.episode.steps < 80 and super()._turn()


def _by_steps(
    agent: Callable[[np.random.Generator], StepAgent], episode: Episode, rng: np.random.Generator
) -> None:
    playing = agent(rng)
    while not episode.done:
        episode.step(playing.act(episode))


def _by_plan(kind: type[Attempt], episode: Episode, rng: np.random.Generator) -> None:
    kind(episode, Strategy(seed=int(rng.integers(1 << 31)))).run()
    while not episode.done:
        episode.step(waiting(episode))


def _by_replies(choices: ArenaChoices, sees: bool, episode: Episode, rng: np.random.Generator) -> None:
    """Random scripts, or those of the agent that looks at pictures if it sees."""
    eye = Renderer(choices.image_size, choices.image_size).frame if sees else None
    played = ScriptedEpisode(episode, eye, choices)
    played.begin()
    replies: list[str] = []
    while played.wants_reply:
        replies.append(answer(played.frame(), fruitless(replies), rng) if sees else random_script(rng))
        played.reply(replies[-1])
    played.finish()


AGENTS: dict[str, Player] = {
    **{name: partial(_by_steps, made) for name, made in STEP_AGENTS.items()},
    "braitenberg, sight 10 m": partial(_by_steps, ShortSighted),
    "braitenberg, fearless": partial(_by_steps, Fearless),
    "random": partial(_by_replies, ArenaChoices(), False),
    "pixels": partial(_by_replies, ArenaChoices(image_size=128), True),
    "pixels, 48 px": partial(_by_replies, ArenaChoices(image_size=48), True),
    "pixels, 5 replies": partial(_by_replies, ArenaChoices(image_size=128, max_scripts=5), True),
    "planner": partial(_by_plan, Attempt),
    "planner with lapses": partial(_by_plan, Lapsing),
    "planner, 80 steps": partial(_by_plan, Hasty),
}
"""Every agent by its name in the table; all chance comes from the generator of the episode."""


def passes(name: str, episode: Episode) -> bool | None:
    """Let an agent play an episode to its end; whether it passes, None if the task has no mark."""
    AGENTS[name](episode, episode_rng(episode.seed, f"{episode.task_id}/{name}", episode.trial))
    return episode.passed


def main(
    original: Annotated[
        Path, typer.Option(callback=located_testbed, metavar="DIR", help="The original's files.")
    ],
    out: Annotated[Path, typer.Option(help="CSV file to write.")],
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
) -> None:
    """Let every agent play the 40 tasks of both batteries once, and write its passes by level."""
    batteries = (
        (SHIPPED, Version.V3.value, None),
        (SHIPPED, Version.V2.value, None),
        (ORIGINAL, Version.V2.value, original),
    )
    orders = [(agent, *battery) for agent in AGENTS for battery in batteries]
    with Pool(jobs) as pool:
        rows = [row for part in track(pool.imap(_played, orders), total=len(orders)) for row in part]
    frame = pd.DataFrame(rows, columns=list(TABLES["agents_on_both_batteries"]))
    write_file(out, frame.to_csv(index=False, lineterminator="\n"))
    print(f"{len(AGENTS)} agents on both short forms: {out}")


def _played(order: tuple[str, str, str, Path | None]) -> list[tuple[str | int, ...]]:
    """Tasks and passes of an agent by level; a task without a mark does not count."""
    agent, battery, animal_ai, folder = order
    tasks = [task for task in find_tasks(None, folder, animal_ai) if task.id in SHORT_FORM]
    about = agent, battery, short_form_version({task.id: task.sha256 for task in tasks})
    verdicts: dict[int, list[bool]] = {}
    for task in tasks:
        if (passed := passes(agent, Episode(task.spec, task_id=task.id))) is not None:
            verdicts.setdefault(task.level, []).append(passed)
    return [
        (*about, version("arena-llm"), animal_ai, level, len(found), sum(found))
        for level, found in sorted(verdicts.items())
    ]


if __name__ == "__main__":
    run(main, "benchmarks.linking")
