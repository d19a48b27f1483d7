"""What a vector environment says and leaves behind when something goes wrong."""

import traceback

import gymnasium
import numpy as np
import pytest

from arena import ConfigError, LayoutError
from arena.episode import Episode
from arena.gym.vector_env import ArenaVectorEnv
from tests.arena.learning import FILE, same


class Crammed:
    """A stream whose third task, for seed 2, is a broken one."""

    def __init__(self):
        self.restart(0)

    def restart(self, seed):
        self._seed, self._played = seed, 0

    def next(self):
        self._played += 1
        if (self._seed, self._played) == (2, 3):
            raise LayoutError("third: too full")
        return Episode(FILE.arenas[0], task_id=f"task-{self._played}", seed=self._seed)


def envs_of(config=FILE, num_envs=4, **options):
    return ArenaVectorEnv(num_envs, config=config, observation="vector", **options)


def begun(config=FILE, **options):
    envs = envs_of(config, **options)
    envs.reset(seed=0)
    return envs


def test_a_broken_task_is_named_and_the_others_go_on():
    envs = begun(Crammed())
    envs.reset()
    with pytest.raises(LayoutError, match=r"^environment 2: third: too full"):
        envs.reset()
    envs.reset()
    envs.close()


@pytest.mark.parametrize(
    ("action", "bad"),
    [
        *(("discrete9", bad) for bad in (9, -1, 2.7, np.nan)),
        *(("continuous", bad) for bad in ((0.0, 1.5), (np.nan, 0.0))),
        ("multidiscrete", (0, 3)),
    ],
    ids=str,
)
def test_an_action_outside_the_space_names_its_environment_and_no_other_takes_a_step(action, bad):
    envs = begun(action=action)
    with pytest.raises(ConfigError, match=r"^environment [03]: action: got .*, expected"):
        envs.step(np.array([np.zeros_like(bad)] * 3 + [bad]))
    reference = begun(action=action)
    fine = envs.action_space.sample()
    assert same(envs.step(fine), reference.step(fine))
    envs.close()


@pytest.mark.parametrize(
    "actions",
    [[0, True, 0, 0], (True,) * 4, np.array([True, False, False, False]), [0, np.True_, 0, 0]],
    ids=str,
)
def test_true_is_no_action(actions):
    envs = begun()
    with pytest.raises(
        ConfigError, match=r"^environment [01]: action: got .*True.*, expected a whole number"
    ):
        envs.step(actions)
    envs.step([0, 1, np.int64(2), 3])
    envs.close()


class Broken(Crammed):
    """A stream with a fault in its third task for seed 2."""

    def next(self):
        if (self._seed, self._played) == (2, 2):
            return 1 / 0
        return super().next()


def test_a_fault_of_a_curriculum_keeps_its_stack_and_names_its_environment():
    envs = begun(Broken())
    envs.reset()
    with pytest.raises(ZeroDivisionError) as caught:
        envs.reset()
    shown = "".join(traceback.format_exception(caught.value))
    assert "in environment 2" in shown
    assert "return 1 / 0" in shown
    assert f'{__file__}", line' in shown
    envs.close()


def test_what_is_not_reset_cannot_be_stepped():
    envs = envs_of(autoreset_mode="DISABLED", max_episode_steps=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros(4, int))
    envs.reset(seed=0)
    envs.step(np.zeros(4, int))
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"environments \[0, 1, 2, 3\] are over"):
        envs.step(np.zeros(4, int))
    envs.close()


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda envs: envs.step(np.zeros(3, int)), r"actions: got the shape \(3,\), expected \(4,\)"),
        (lambda envs: envs.step([0, [1], 2, 3]), r"actions: got .*, expected the shape \(4,\)"),
        (lambda envs: envs.reset(seed=[1, 2]), "seed: got 2 seeds, expected one for each of 4"),
        (
            lambda envs: envs.reset(options={"reset_mask": [True] * 4}),
            "reset_mask: got .* expected a bool array",
        ),
        (lambda envs: envs.reset(options={"reset_mask": np.zeros(4, bool)}), "reset_mask: got no True"),
        (lambda envs: envs.reset(options={"task": 1}), "^environment 0: task: got '1', expected one of 0, 7"),
        (lambda envs: envs.call("step", 1), "call: got 'step'"),
        (lambda envs: envs.set_attr("mark", [1]), "mark: got 1 values, expected one for each of 4"),
    ],
    ids=range(8),
)
def test_wrong_use_says_what_is_expected(use, message):
    envs = begun()
    with pytest.raises(ConfigError, match=message):
        use(envs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs: got 0, expected a whole number, 1 to 1024"),
        ({"workers": 2}, "workers: no such option"),
        ({"autoreset_mode": "sometimes"}, "autoreset_mode: got 'sometimes', expected one of 'NEXT_STEP'"),
    ],
    ids=str,
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ConfigError, match=message):
        envs_of(**options)
