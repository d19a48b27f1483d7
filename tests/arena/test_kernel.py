"""The compiled core beside the same rules written plainly."""

import numpy as np
import pytest

from arena import ACTIONS, Episode
from arena.kernel.tables import GROUNDED
from testbed.tasks import find_paths, read_tasks
from tests.arena.plain_motion import Agent

FILES = find_paths()


def compared(file, steps, seed):
    """Plays at random; compares each step in which nothing else happens, and returns their number and that of
    those that differ by more than 1e-9: rounding decides there whether a sweep of the solver is the last."""
    rng, count, cut_off = np.random.default_rng(seed), 0, 0
    run = Episode(read_tasks(file)[0].spec, task_id=file.stem, seed=seed)
    for number in range(steps):
        if number % 6 == 0:
            action = ACTIONS[rng.choice([1, 3, 3, 3, 3, 4, 5, 6])]
        world = run._stage.world
        body, still, stages = world.agents[0], world.is_at_rest, len(run._stages)
        agent = Agent(np.array(body.position), np.array(body.velocity), body.yaw, bool(body.state[GROUNDED]))
        plain = still and not run.frozen and [agent.tick(world, *action) for _ in range(3)]
        result = run.step(action)
        if result.done:
            break
        same = run._stage.world is world and len(run._stages) == stages
        if plain and all(plain) and same and world.is_at_rest and not result.events:
            count += 1
            got = (*run.position, *run.velocity, run.yaw)
            expected = (*agent.at, *agent.velocity, agent.yaw)
            assert got == pytest.approx(expected, abs=1e-7), (file.stem, number)
            cut_off += got != pytest.approx(expected, abs=1e-9)
    run.close()
    return count, cut_off


@pytest.mark.parametrize("number", range(0, len(FILES), len(FILES) // 8))
def test_uneventful_steps_are_those_of_the_rules_written_plainly(number):
    assert compared(FILES[number], 60, number)[1] == 0


@pytest.mark.slow
def test_ten_thousand_steps_are_those_of_the_rules_written_plainly():
    files = FILES[:: len(FILES) // 100]
    counts = [compared(file, 250, number) for number, file in enumerate(files)]
    steps, cut_off = map(sum, zip(*counts, strict=True))
    assert steps > 10_000
    assert cut_off < steps / 1000, (cut_off, steps)
