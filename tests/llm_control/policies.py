"""Learned policies for the tests: small ones of Stable-Baselines3, and players that do as they are told."""

from pathlib import Path

import gymnasium

from arena import Episode
from llm_control.agents.policy_file import Policy, PolicyDescription, PolicyOptions, save_policy
from llm_control.choices import ArenaChoices

ACTING = ArenaChoices(replies="steps", max_scripts=None, initial_idle_steps=())
"""The choices with which an agent acts at every step."""

OPTIONS = {"observation": "rays", "rays_per_side": 1, "action": "multidiscrete", "action_repeat": 2}


class Once:
    """A curriculum of one episode, as an evaluation plays it."""

    def __init__(self, spec, task_id, seed=0, trial=0):
        self._episode = (spec, task_id, seed, trial)

    def restart(self, seed):
        """Nothing depends on the environment's seed."""

    def next(self):
        spec, task_id, seed, trial = self._episode
        return Episode(spec, task_id=task_id, seed=seed, trial=trial)


class Told:
    """A model that takes the given actions in turn and keeps what it observes."""

    def __init__(self, actions):
        self.seen, self._actions = [], list(actions)

    def predict(self, observation, state, start, deterministic):
        self.seen.append(observation)
        return self._actions[(len(self.seen) - 1) % len(self._actions)], None


def told_policy(options, actions):
    """A policy without a file, whose model is `Told`."""
    description = PolicyDescription(format="none", algorithm="none", environment=PolicyOptions(**options))
    return Policy(Path("told.zip"), "", description, Told(actions))


def trained(path, task, seed=1, steps=64, **options):
    """A policy file of PPO after a few steps on a task file."""
    from stable_baselines3 import PPO

    options = OPTIONS | options
    env = gymnasium.make("arena-llm/Arena-v0", config=task, **options)
    model = PPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=1, seed=seed, device="cpu")
    model.learn(steps)
    env.close()
    return save_policy(model, path, trained_on="one ball ahead", **options)
