"""Train PPO on fresh foraging tasks of level 1, from rays or from the camera, and say what it learned.

    python examples/train_ppo.py --observation rays --out policies/rays
    python examples/train_ppo.py --observation camera --actions 600000 --out policies/camera

Every training episode is a task that was drawn for it and is never played again, so the curve of their pass
rates already is one of unseen tasks, played by a policy that still explores. At the end the policy plays 300
further tasks of another seed, twice: by its best actions, and by actions drawn as it draws them in training.

The folder gets `policy.zip` (for `arena-llm eval --model policy:FILE`), `curve.csv`, `curve.png` and
`result.json`. The same options give the same policy on the same machine, whatever the number of workers.
Ctrl-C ends training early, and keeps what was learned so far.
Needs `pip install 'arena-llm[rl]'`.
"""

import csv
import json
import time
from collections import deque
from pathlib import Path
from typing import Annotated, Any, Literal

import torch
import typer
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecMonitor

from arena import ArenaEnv
from arena.gym.sb3 import ArenaVecEnv
from evaluation.statistics import wilson
from llm_control.agents.policy_file import save_policy
from testbed.curriculum import Generated

OBSERVES: dict[str, dict[str, Any]] = {
    # 21 rays, 6 degrees apart: a ball of 1 m at 10 m is never between two of them.
    "rays": {"observation": "rays", "rays_per_side": 10, "frame_stack": 2, "action_repeat": 3},
    # A ball of 1 m at 10 m is 4 pixels wide, and two pictures show what rolls.
    "camera": {"observation": "camera", "resolution": 48, "frame_stack": 2, "action_repeat": 3},
}
"""The environment's options. Three steps turn by 18 degrees, and decide 140 times in an episode of 250."""

LEARNS: dict[str, dict[str, Any]] = {
    "rays": {
        "policy": "MlpPolicy",
        "policy_kwargs": {"net_arch": [128, 128]},
        "n_epochs": 6,
        "batch_size": 512,
    },
    "camera": {
        "policy": "CnnPolicy",
        "n_epochs": 4,
        "batch_size": 256,
        "learning_rate": LinearSchedule(1e-3, 1e-4, 1.0),
    },
}
"""What PPO learns with; all else is stable-baselines3's own."""

LEVELS = "1"
UNSEEN_SEED = 1_000_003
"""Seed of the tasks that are only played at the end."""

LAST = 400
"""Training episodes over which the curve's pass rate is taken."""


class Curve(BaseCallback):
    """Writes the pass rate of the last training episodes, at most every ten seconds."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.began = time.monotonic()
        self.passed: deque[bool] = deque(maxlen=LAST)
        self.rows: list[tuple[float, int, int, float]] = []
        self.episodes = 0

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "episode" in info:
                self.episodes += 1
                self.passed.append(info["is_success"])
        minutes = (time.monotonic() - self.began) / 60
        if not self.rows or minutes - self.rows[-1][0] > 1 / 6:
            self.note(minutes)
        return True

    def note(self, minutes: float) -> None:
        """Add a row to the file, and say so; nothing before the first episode has ended."""
        if not self.passed:
            return
        row = (round(minutes, 2), self.num_timesteps, self.episodes, sum(self.passed) / len(self.passed))
        self.rows.append(row)
        with self.path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("minutes", "actions", "episodes", "pass_rate"), *self.rows])
        typer.echo(f"{minutes:5.1f} min  {row[1]:>9,} actions  {row[2]:>7,} episodes  pass rate {row[3]:.2f}")


def play_unseen(model: PPO, options: dict[str, Any], episodes: int, sample: bool) -> dict[str, Any]:
    """How many of so many unseen tasks the policy passes, by its best actions or by drawn ones."""
    env = ArenaEnv(Generated(LEVELS, seed=UNSEEN_SEED), **options)
    observation, _ = env.reset(seed=UNSEEN_SEED)
    torch.manual_seed(UNSEEN_SEED)
    passes = played = 0
    while played < episodes:
        action, _ = model.predict(observation, deterministic=not sample)
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            played += 1
            passes += info["is_success"]
            observation, _ = env.reset()
    env.close()
    low, high = wilson(passes, episodes)
    return {"passes": passes, "pass_rate": passes / episodes, "interval_95": [low, high]}


def draw(curve: Curve, result: dict[str, Any], path: Path) -> None:
    """The learning curve as a picture, with the final rates on unseen tasks and their intervals."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.2), layout="constrained")
    axes = figure.subplots()
    # Over actions, not minutes: a machine that does other things as well makes the same curve.
    axes.plot(
        [row[1] / 1000 for row in curve.rows], [row[3] for row in curve.rows], label="training, exploring"
    )
    end = result["actions"] / 1000
    for key, label, place in (("best", "best actions", 1.0), ("drawn", "drawn actions", 1.02)):
        found = result[key]
        low, high = found["interval_95"]
        rate = found["pass_rate"]
        axes.errorbar(
            [place * end], [rate], yerr=[[rate - low], [high - rate]], fmt="o", capsize=3,
            label=f"{result['unseen_tasks']} unseen tasks, {label}",
        )  # fmt: skip
    axes.set(xlabel="thousands of actions", ylabel="pass rate, level 1", ylim=(0, 1), title=result["title"])
    axes.legend(loc="lower right", frameon=False)
    figure.savefig(path, dpi=150)


def main(
    out: Annotated[Path, typer.Option(help="Folder of the results.")],
    observation: Annotated[Literal["rays", "camera"], typer.Option(help="What the policy sees.")] = "rays",
    actions: Annotated[int, typer.Option(min=1, help="Actions to train for.")] = 1_000_000,
    environments: Annotated[int, typer.Option(min=1, help="Arenas at once.")] = 16,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that play; all cores else.")] = None,
    rollout: Annotated[int, typer.Option(min=2, help="Actions in each arena between updates.")] = 128,
    unseen: Annotated[int, typer.Option(min=1, help="Unseen tasks to be played at the end.")] = 300,
    seed: Annotated[int, typer.Option(min=0, help="Of the tasks and of learning.")] = 1,
) -> None:
    """Train, save, play unseen tasks, and draw the curve."""
    out.mkdir(parents=True, exist_ok=True)
    options = OBSERVES[observation]
    if observation == "rays":
        # So small a network is slower with several threads.
        torch.set_num_threads(1)
    training = VecMonitor(ArenaVecEnv(environments, Generated(LEVELS, seed=seed), workers=workers, **options))
    learns = LEARNS[observation]
    learns = learns | {"batch_size": min(learns["batch_size"], environments * rollout)}
    model = PPO(env=training, n_steps=rollout, ent_coef=0.01, seed=seed, device="auto", **learns)
    curve = Curve(out / "curve.csv")
    stopped = False
    try:
        model.learn(actions, callback=curve)
    except KeyboardInterrupt:
        stopped = True
        typer.echo(f"stopped after {model.num_timesteps:,} actions; what was learned is kept")
    finally:
        training.close()
    minutes = (time.monotonic() - curve.began) / 60
    curve.note(minutes)
    save_policy(model, out / "policy.zip", trained_on=f"Generated({LEVELS!r})", seed=seed, **options)
    result: dict[str, Any] = {
        "title": f"PPO from {observation}", "actions": model.num_timesteps, "episodes": curve.episodes,
        "minutes": round(minutes, 1), "seed": seed, "environments": environments, "unseen_tasks": unseen,
        "stopped_early": stopped,
    }  # fmt: skip
    for name, sample in (("best", False), ("drawn", True)):
        result[name] = found = play_unseen(model, options, unseen, sample)
        low, high = found["interval_95"]
        typer.echo(
            f"{found['passes']} of {unseen} unseen tasks passed by {name} actions: "
            f"{found['pass_rate']:.2f} [{low:.2f}, {high:.2f}]"
        )
    (out / "result.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    draw(curve, result, out / "curve.png")


if __name__ == "__main__":
    typer.run(main)
