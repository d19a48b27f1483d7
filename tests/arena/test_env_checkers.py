"""Gymnasium's and stable-baselines3's checks of the environment, for every task and every option."""

import warnings
from itertools import product

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from arena.gym.env import KINDS, NAMES
from testbed.blueprints import CONDITIONS
from testbed.curriculum import Generated
from testbed.tasks import find_paths
from tests.arena.learning import FILE

QUICK = {
    condition.paradigm: f"{level:02d}-{number:02d}-01"
    for level, conditions in CONDITIONS.items()
    for number, condition in enumerate(conditions, start=1)
}.values()
"""A task of each paradigm."""

BATTERY = [
    pytest.param(path, id=path.stem, marks=() if path.stem in QUICK else pytest.mark.slow)
    for path in find_paths()
]


def checked(config, *, pictures_of_others=False, render=False, **options):
    """Both checks, with every warning an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if pictures_of_others:
            # stable-baselines3 takes everything with three axes for a picture; depth and classes are none.
            warnings.filterwarnings("ignore", "It seems that your observation ")
        env = gymnasium.make(
            "arena-llm/Arena-v0", config=config, disable_env_checker=True, render_resolution=16, **options
        ).unwrapped
        check_env(env, skip_render_check=not render)
        sb3 = pytest.importorskip(
            "stable_baselines3.common.env_checker", reason="stable-baselines3 is not installed"
        )
        sb3.check_env(env, skip_render_check=not render)
        env.close()


@pytest.mark.parametrize("path", BATTERY)
def test_every_task_of_the_battery(path):
    checked(path, observation=("rays", "vector"))


@pytest.mark.parametrize("number", range(50))
def test_generated_tasks(number):
    checked(Generated("1-10", seed=number), observation=("rays", "vector"))


@pytest.mark.parametrize("path", find_paths()[::60], ids=lambda path: path.stem)
def test_tasks_that_are_seen_and_rendered(path):
    checked(path, resolution=36, render=True)


@pytest.mark.parametrize(("observation", "action"), list(product([*NAMES, NAMES], KINDS)), ids=str)
def test_every_kind_of_observation_with_every_kind_of_action(observation, action):
    checked(
        FILE,
        pictures_of_others={"depth", "segmentation"} & {*observation, observation},
        observation=observation,
        action=action,
        resolution=36,
    )


@pytest.mark.parametrize(
    "options",
    [{"frame_stack": 3}, {"grayscale": True}, {"action_repeat": 4}, {"max_episode_steps": 3}],
    ids=str,
)
def test_further_options(options):
    checked(FILE, observation=("camera", "rays", "vector"), resolution=36, **options)
