"""Train PPO on fresh foraging tasks of level 1, from rays or from the camera, and say what it learned.

    python examples/train_ppo.py --observation rays --out policies/rays
    python examples/train_ppo.py --observation camera --actions 600000 --out policies/camera

Every training episode is a task that was drawn for it and is never played again, so the curve of their pass
rates already is one of unseen tasks, played by a policy that still explores. At the end the policy plays 300
further tasks of another seed, twice: by its best actions, and by actions drawn as it draws them in training.

The folder gets `policy.zip` (for `arena-llm eval --model policy:FILE`), `curve.csv`, `curve.png`,
`result.json` and `checkpoints/`, policy files too, named by their actions. The same options give the same
policy on the same machine. Ctrl-C ends training early, and keeps what was
learned so far. The same command with `--resume` goes on from the last checkpoint, on tasks not played before.
Needs `pip install 'arena-llm[rl]'`.
"""

import csv
import json
import time
from collections import deque
from collections.abc import Callable
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
from llm_control.agents.policy_file import PolicyOptions, load_policy, save_policy
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

PLAYS = {"rays": (64, 32), "camera": (16, 128)}
"""Arenas at once, and actions in each of them between two updates."""

LEVELS = "1"
UNSEEN_SEED = 1_000_003
"""Seed of the tasks that are only played at the end."""

LAST = 400
"""Training episodes over which the curve's pass rate is taken."""


class Curve(BaseCallback):
    """Writes the pass rate of the last training episodes, at most every ten seconds, and checkpoints.

    `save` writes a policy file of the model; `every` is the number of actions between two of them.
    """

    def __init__(self, path: Path, save: Callable[[], Any], every: int) -> None:
        super().__init__()
        self.path, self.save, self.every = path, save, every
        self.began = time.monotonic()
        self.saved = 0
        self.passed: deque[bool] = deque(maxlen=LAST)
        self.rows: list[tuple[float, int, int, float]] = []
        self.episodes = 0

    def resume(self, actions: int) -> None:
        """Go on after the rows that were written up to a number of actions."""
        self.saved = actions
        with self.path.open(encoding="utf-8") as file:
            rows = [tuple(map(float, row)) for row in list(csv.reader(file))[1:]]
        self.rows = [(row[0], int(row[1]), int(row[2]), row[3]) for row in rows if row[1] <= actions]
        if self.rows:
            self.began -= 60 * self.rows[-1][0]
            self.episodes = self.rows[-1][2]

    def _on_rollout_start(self) -> None:
        # Between two rollouts: what is saved has learned from everything that it played.
        if self.num_timesteps - self.saved >= self.every:
            self.saved = self.num_timesteps
            self.note((time.monotonic() - self.began) / 60)
            self.save()

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


def last_checkpoint(out: Path, resume: bool) -> Path | None:
    """The checkpoint to go on from. Raises BadParameter where the folder and `--resume` contradict."""
    found = sorted((out / "checkpoints").glob("*.zip"))
    if resume and not found:
        raise typer.BadParameter(f"{out}/checkpoints: there is none; leave out --resume to begin")
    if found and not resume:
        raise typer.BadParameter(
            f"{out}: has {found[-1].relative_to(out)}; go on with --resume, or choose another folder"
        )
    return found[-1] if resume else None


def resumed(checkpoint: Path, training: VecMonitor, options: dict[str, Any], seed: int) -> PPO:
    """The model of a checkpoint. Raises BadParameter if it was trained with other options or another seed."""
    told = load_policy(checkpoint).description
    same = told.environment == PolicyOptions(**options)
    if not same or told.seed != seed:
        raise typer.BadParameter(
            f"{checkpoint}: was trained from {told.environment.observation} with seed {told.seed}; "
            "give the options of the training that is resumed"
        )
    model = PPO.load(checkpoint, env=training, device="auto")
    # Tasks that no environment has had: those of seeds that are farther than the environments are many.
    training.seed(seed + model.num_timesteps)
    return model


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
    environments: Annotated[int | None, typer.Option(min=1, help="Arenas; 64 for rays, else 16.")] = None,
    rollout: Annotated[int | None, typer.Option(min=2, help="Actions in each arena between updates.")] = None,
    unseen: Annotated[int, typer.Option(min=1, help="Unseen tasks to be played at the end.")] = 300,
    seed: Annotated[int, typer.Option(min=0, help="Of the tasks and of learning.")] = 1,
    checkpoint: Annotated[int, typer.Option(min=1, help="Actions between two checkpoints.")] = 100_000,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint.")] = False,
) -> None:
    """Train, save, play unseen tasks, and draw the curve."""
    begun = last_checkpoint(out, resume)
    (out / "checkpoints").mkdir(parents=True, exist_ok=True)
    options = OBSERVES[observation]
    environments, rollout = environments or PLAYS[observation][0], rollout or PLAYS[observation][1]
    if observation == "rays":
        # So small a network is slower with several threads.
        torch.set_num_threads(1)
    training = VecMonitor(ArenaVecEnv(environments, Generated(LEVELS, seed=seed), **options))
    learns = LEARNS[observation]
    learns = learns | {"batch_size": min(learns["batch_size"], environments * rollout)}
    if begun:
        model = resumed(begun, training, options, seed)
    else:
        model = PPO(env=training, n_steps=rollout, ent_coef=0.01, seed=seed, device="auto", **learns)

    def save(path: Path | None = None) -> None:
        path = path or out / "checkpoints" / f"{model.num_timesteps:012d}.zip"
        save_policy(model, path, trained_on=f"Generated({LEVELS!r})", seed=seed, **options)

    curve = Curve(out / "curve.csv", save, checkpoint)
    if begun:
        curve.resume(model.num_timesteps)
    stopped = False
    try:
        if model.num_timesteps < actions:
            model.learn(actions - model.num_timesteps, callback=curve, reset_num_timesteps=not begun)
    except KeyboardInterrupt:
        stopped = True
        typer.echo(f"stopped after {model.num_timesteps:,} actions; what was learned is kept")
    finally:
        training.close()
    minutes = (time.monotonic() - curve.began) / 60
    curve.note(minutes)
    save()
    save(out / "policy.zip")
    result: dict[str, Any] = {
        "title": f"PPO from {observation}", "actions": model.num_timesteps, "episodes": curve.episodes,
        "minutes": round(minutes, 1), "seed": seed, "environments": environments, "unseen_tasks": unseen,
        "stopped_early": stopped, "resumed": resume,
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
