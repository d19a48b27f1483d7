"""One run: an algorithm learns a level with a seed and is scored on the level's test tasks."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecMonitor

from arena.files import atomic_file, write_file
from arena.gym.sb3 import ArenaVecEnv
from benchmarks.learners import EPISODES, POLICY, RESULT, Run
from benchmarks.learners.algorithms import ENVIRONMENT, ENVIRONMENTS, model
from llm_control.agents.policy_file import load_policy, save_policy
from testbed.benchmark import SMALL_BUDGET, TRAIN_SEED, score
from testbed.curriculum import Generated


class _Episodes(BaseCallback):
    """Keeps the steps before the end of each training episode, its reward and whether it passed."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[int, float, int]] = []

    def _on_step(self) -> bool:
        steps = self.num_timesteps * ENVIRONMENT["action_repeat"]
        self.rows += [
            (steps, round(float(info["episode"]["r"]), 4), int(info["is_success"]))
            for info in self.locals["infos"]
            if "episode" in info
        ]
        return True


def learn(run: Run, out: Path, steps: int = SMALL_BUDGET) -> dict[str, Any]:
    """Learn for `steps` steps of the arena, play the test tasks by the best actions, and write the result.

    The same run gives the same result on the same machine. A result or a policy that is there is kept.
    """
    folder = run.folder(out)
    if (folder / RESULT).is_file():
        found: dict[str, Any] = json.loads((folder / RESULT).read_text(encoding="utf-8"))
        return found
    torch.set_num_threads(1)
    if not (folder / POLICY).is_file():
        _train(run, folder, steps)
    player = load_policy(folder / POLICY).player
    scored = score(run.level, lambda seen, first: player.act(seen, False, first), **ENVIRONMENT)
    low, high = scored.interval_95
    result = {
        **run._asdict(),
        "steps": steps,
        "test_tasks": len(scored.rewards),
        "passes": scored.passes,
        "reward": scored.reward,
        "normalised": scored.normalised,
        "low": low,
        "high": high,
    }
    write_file(folder / RESULT, json.dumps(result, indent=1) + "\n")
    return result


def _train(run: Run, folder: Path, steps: int) -> None:
    """Write the training episodes, then the policy."""
    tasks = Generated(str(run.level), seed=TRAIN_SEED)
    training = VecMonitor(ArenaVecEnv(ENVIRONMENTS, tasks, workers=0, **ENVIRONMENT))
    learner = model(run.algorithm, training, run.seed)
    episodes = _Episodes()
    learner.learn(steps // ENVIRONMENT["action_repeat"], callback=episodes)
    training.close()
    with atomic_file(folder / EPISODES) as path:
        pd.DataFrame(episodes.rows, columns=["steps", "reward", "passed"]).to_csv(path, index=False)
    trained_on = f"arena-llm/Level{run.level}-v0"
    save_policy(learner, folder / POLICY, trained_on=trained_on, seed=run.seed, **ENVIRONMENT)
