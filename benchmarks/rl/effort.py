"""How much is measured for reinforcement learning."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RlEffort:
    """How much is measured; `passes` repeat everything except memory.

    `tasks` and `generated` are numbers of tasks; in a pass `steps` of each are played after `warm_up`.
    `vector_steps` are calls of `ArenaVectorEnv.step`; `some_workers` skips numbers of workers between none
    and one per core. `objects` are the sizes of growing scenes. Memory is measured in `processes` processes
    for each of `environments`, and followed over `episodes` (with rays) and `drawn_episodes` (with a camera).
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
