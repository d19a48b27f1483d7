"""Train PPO on fresh tasks of some levels, from rays or the camera, and measure the policy.

    python examples/train_ppo.py --observation rays --out policies/rays
    python examples/train_ppo.py --observation camera --actions 300000 --out policies/camera
    python examples/train_ppo.py --levels 11 --recurrent --rollout 128 --out policies/machine

Every training episode is a new task, so the curve shows the pass rate on unseen tasks. At the end the policy
plays 300 tasks of another seed, once with its best actions and once with sampled actions as in training.

The folder gets `policy.zip` (for `arena-llm eval --model policy:FILE`), `curve.csv`, `curve.png`,
`result.json` and `checkpoints/`, as docs/train.md describes. Needs `pip install 'arena-llm[rl]'`.
"""

import json
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
import torch
import typer
from gymnasium.spaces import Box
from sb3_contrib import RecurrentPPO
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.utils import LinearSchedule, set_random_seed
from stable_baselines3.common.vec_env import VecMonitor
from torch import nn

from arena import ArenaEnv, ConfigError
from arena.gym.sb3 import ArenaVecEnv
from evaluation.statistics import wilson
from llm_control.agents.policy_file import load_policy, save_policy
from testbed.curriculum import Generated

OBSERVES: dict[str, dict[str, Any]] = {
    # 21 rays, 6 degrees apart: a ball of 1 m at 10 m is never between two of them.
    "rays": {"observation": "rays", "rays_per_side": 10, "frame_stack": 2, "action_repeat": 3},
    # A ball of 0.5 m at 10 m is 1.5 pixels wide, and two pictures show what rolls.
    "camera": {"observation": "camera", "resolution": 72, "frame_stack": 2, "action_repeat": 4},
}
"""The environment's options. Three steps turn by 18 degrees, four by 24."""


class HorizonCNN(BaseFeaturesExtractor):
    """Two convolutions over the 16 rows of pixels at the horizon; the others are mostly sky and floor."""

    def __init__(self, pictures: Box) -> None:
        super().__init__(pictures, features_dim=256)
        self.layers = nn.Sequential(
            nn.Conv2d(pictures.shape[0], 32, 4, stride=(4, 3)), nn.ReLU(),
            nn.Conv2d(32, 64, (4, 3), stride=(1, 2)), nn.ReLU(),
            nn.Flatten(), nn.Linear(64 * 11, 256), nn.ReLU(),
        )  # fmt: skip

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Features (n, 256) of pictures (n, channels, 72, 72), 0 to 255."""
        # Centred: with values from 0 to 1, it had learned next to nothing after 100,000 actions.
        horizon = pictures[:, :, 28:44] / 255 - 0.5
        return self.layers(horizon.contiguous(memory_format=torch.channels_last))


LEARNS: dict[str, dict[str, Any]] = {
    "rays": {"policy": "MlpPolicy", "policy_kwargs": {"net_arch": [128, 128]}, "n_epochs": 6},
    "camera": {
        "policy": "CnnPolicy",
        "policy_kwargs": {"features_extractor_class": HorizonCNN, "normalize_images": False},
        "n_epochs": 4,
        "learning_rate": LinearSchedule(1.5e-3, 1e-4, 1.0),
    },
}
"""PPO's settings; all others are the library's defaults."""

Model = PPO | RecurrentPPO
Kind = type[PPO] | type[RecurrentPPO]

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
        self.began, self.saved, self.episodes = time.monotonic(), 0, 0
        self.passed: deque[bool] = deque(maxlen=LAST)
        self.rows: list[tuple[float, int, int, float]] = []

    def resume(self, actions: int) -> None:
        """Continue after the rows that were written up to a number of actions."""
        self.saved = actions
        kept = pd.read_csv(self.path).query("actions <= @actions")
        self.rows = list(kept.itertuples(index=False, name=None))
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
        """Add a row to the file and print it, once the first episode has ended."""
        if not self.passed:
            return
        row = (round(minutes, 2), self.num_timesteps, self.episodes, sum(self.passed) / len(self.passed))
        self.rows.append(row)
        columns = ["minutes", "actions", "episodes", "pass_rate"]
        pd.DataFrame(self.rows, columns=columns).to_csv(self.path, index=False)
        typer.echo(f"{minutes:5.1f} min  {row[1]:>9,} actions  {row[2]:>7,} episodes  pass rate {row[3]:.2f}")


def last_checkpoint(out: Path, resume: bool) -> Path | None:
    """Return the checkpoint to continue from. Raises BadParameter if folder and `--resume` contradict."""
    found = sorted((out / "checkpoints").glob("*.zip"))
    if resume and not found:
        raise typer.BadParameter(f"{out}/checkpoints: no checkpoint here; leave out --resume to begin")
    if found and not resume:
        raise typer.BadParameter(f"{out}: has {found[-1].name}; continue with --resume, or elsewhere")
    return found[-1] if resume else None


def resumed(kind: Kind, checkpoint: Path, training: VecMonitor, trained: dict[str, Any]) -> Model:
    """Load a checkpoint. Raises BadParameter if it is of another kind or was `trained` otherwise."""
    told = load_policy(checkpoint).description
    by = told.algorithm.rpartition(".")[2]
    was = {"trained_on": told.trained_on, "seed": told.seed, **told.environment.model_dump()}
    if by != kind.__name__ or was != was | trained:
        raise typer.BadParameter(
            f"{checkpoint}: {by} was trained from {told.environment.observation} with seed {told.seed} on "
            f"{told.trained_on}; give the options of the training that is resumed"
        )
    model = kind.load(checkpoint, env=training, device="auto")
    # Tasks that no environment has had: those of seeds that are farther than the environments are many.
    training.seed(trained["seed"] + model.num_timesteps)
    return model


def play_unseen(model: Model, env: ArenaEnv, episodes: int, sample: bool) -> dict[str, Any]:
    """Count the unseen tasks that the policy passes, by its best or by sampled actions.

    `prior_rate` is how often the likeliest door is right before any experiment, if the tasks have doors.
    """
    observation, _ = env.reset(seed=UNSEEN_SEED)
    set_random_seed(UNSEEN_SEED)
    model.action_space.seed(UNSEEN_SEED)
    state, passes, priors = None, 0, list[float]()
    for _ in range(episodes):
        first, over = True, False
        while not over:
            action, state = model.predict(observation, state, np.array([first]), deterministic=not sample)
            observation, _, terminated, truncated, info = env.step(action)
            first, over = False, terminated or truncated
        passes += info["is_success"]
        if question := env.episode.spec.question:
            priors.append(question.hidden.of_doors(question.hidden.prior).max())
        observation, _ = env.reset()
    found = {"passes": passes, "pass_rate": passes / episodes, "interval_95": [*wilson(passes, episodes)]}
    return found | ({"prior_rate": float(np.mean(priors))} if priors else {})


def draw(curve: Curve, result: dict[str, Any], path: Path) -> None:
    """Draw the learning curve, with the final rates on unseen tasks and their intervals."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.2), layout="constrained")
    axes = figure.subplots()
    # Over actions, not minutes: a machine that does other things as well makes the same curve.
    _, actions, _, rates = np.reshape(curve.rows, (-1, 4)).T
    axes.plot(actions / 1000, rates, label="training, exploring")
    end = result["actions"] / 1000
    for key, place in (("best", 1.0), ("drawn", 1.02)):
        rate, (low, high) = result[key]["pass_rate"], result[key]["interval_95"]
        label = f"{result['unseen_tasks']} unseen tasks, {key} actions"
        axes.errorbar([place * end], [rate], [[rate - low], [high - rate]], fmt="o", capsize=3, label=label)
    if "prior_rate" in result["best"]:
        axes.axhline(result["best"]["prior_rate"], color="grey", linestyle=":", label="the likeliest door")
    ylabel = f"pass rate, level {result['levels']}"
    axes.set(xlabel="thousands of actions", ylabel=ylabel, ylim=(0, 1), title=result["title"])
    axes.legend(loc="lower right", frameon=False)
    figure.savefig(path, dpi=150)


def main(
    out: Annotated[Path, typer.Option(help="Folder of the results.")],
    observation: Annotated[Literal["rays", "camera"], typer.Option(help="Policy's observation.")] = "rays",
    levels: Annotated[str, typer.Option(help="Levels, such as 11 or 11-14.")] = "1",
    recurrent: Annotated[bool, typer.Option("--recurrent", help="Memory by an LSTM.")] = False,
    actions: Annotated[int, typer.Option(min=1, help="Number of training actions.")] = 1_000_000,
    environments: Annotated[int, typer.Option(min=1, help="Number of arenas.")] = 64,
    rollout: Annotated[int, typer.Option(min=2, help="Actions in each arena between updates.")] = 32,
    unseen: Annotated[int, typer.Option(min=1, help="Number of unseen tasks at the end.")] = 300,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of tasks and learning.")] = 1,
    checkpoint: Annotated[int, typer.Option(min=1, help="Actions between two checkpoints.")] = 100_000,
    resume: Annotated[bool, typer.Option("--resume", help="Continuation from the last checkpoint.")] = False,
) -> None:
    """Train, save, play unseen tasks, and draw the curve."""
    try:
        tasks, unseen_tasks = (Generated(levels, seed=each) for each in (seed, UNSEEN_SEED))
    except ConfigError as error:
        raise typer.BadParameter(str(error)) from None
    begun = last_checkpoint(out, resume)
    (out / "checkpoints").mkdir(parents=True, exist_ok=True)
    options, learns = OBSERVES[observation], LEARNS[observation]
    trained = {"trained_on": f"Generated({levels!r})", "seed": seed, **options}
    kind: Kind = RecurrentPPO if recurrent else PPO
    if recurrent:
        learns = learns | {"policy": learns["policy"].replace("Policy", "LstmPolicy")}
    # Sums depend on the number of threads; the network for rays is slower with several, too.
    torch.set_num_threads(1)
    training = VecMonitor(ArenaVecEnv(environments, tasks, **options))
    if begun:
        model = resumed(kind, begun, training, trained)
    else:
        batch = min(512, environments * rollout)
        model = kind(env=training, n_steps=rollout, batch_size=batch, ent_coef=0.01, seed=seed, **learns)

    def save(path: Path | None = None) -> None:
        path = path or out / "checkpoints" / f"{model.num_timesteps:012d}.zip"
        save_policy(model, path, **trained)

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
    minutes, processor_seconds = (time.monotonic() - curve.began) / 60, round(time.process_time())
    curve.note(minutes)
    save()
    save(out / "policy.zip")
    result: dict[str, Any] = {
        "title": f"{kind.__name__} from {observation}", "levels": levels, "actions": model.num_timesteps,
        "episodes": curve.episodes, "minutes": round(minutes, 1), "processor_seconds": processor_seconds,
        "seed": seed, "environments": environments, "unseen_tasks": unseen, "stopped_early": stopped,
        "resumed": resume,
    }  # fmt: skip
    env = ArenaEnv(unseen_tasks, **options)
    for name, sample in (("best", False), ("drawn", True)):
        result[name] = found = play_unseen(model, env, unseen, sample)
        low, high = found["interval_95"]
        typer.echo(
            f"{found['passes']} of {unseen} unseen tasks passed by {name} actions: "
            f"{found['pass_rate']:.2f} [{low:.2f}, {high:.2f}]"
        )
    env.close()
    (out / "result.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    draw(curve, result, out / "curve.png")


if __name__ == "__main__":
    typer.run(main)
