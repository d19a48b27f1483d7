"""How much is measured."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RlEffort:
    """How much of each thing is measured; `passes` repeat all of it but memory.

    `tasks` and `generated` are numbers of tasks, `steps` are played of each in a pass after `warm_up`.
    `vector_steps` are calls to `ArenaVectorEnv.step`, `some_workers` leaves out numbers of workers between
    none and one for each core. `objects` are the sizes of the scenes that grow.
    `processes` are repeats of the measurement of memory, each with `environments` in a process; there
    memory is followed over so many `episodes` (with rays) and `drawn_episodes` (with a camera).
    """

    passes: int = 3
    tasks: int = 20
    generated: int = 20
    steps: int = 100
    warm_up: int = 5
    vector_steps: int = 100
    some_workers: bool = False
    objects: tuple[int, ...] = (10, 50, 100, 200)
    processes: int = 2
    environments: tuple[int, ...] = (1, 8, 32)
    episodes: int = 2000
    drawn_episodes: int = 500


FULL_RL = RlEffort()
QUICK_RL = RlEffort(
    passes=2,
    tasks=3,
    generated=2,
    steps=20,
    vector_steps=10,
    some_workers=True,
    objects=(10, 50),
    processes=1,
    environments=(1, 4),
    episodes=40,
    drawn_episodes=20,
)
