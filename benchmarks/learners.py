"""What learning algorithms reach on the levels: `python -m benchmarks.learners`, from a clone.

`learners.yaml` has the plan. Every run is kept as it ends; the next call skips it.
"""

import json
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import cloudpickle
import numpy as np
import numpy.typing as npt
import torch
import typer
import yaml
from scipy.stats import trim_mean
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.running_mean_std import RunningMeanStd
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecMonitor
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn
from torch import nn

from arena.files import check_output_folder, write_file
from arena.gym.sb3 import ArenaVecEnv
from arena.processes import in_order
from arena.recording import software_versions
from benchmarks import run
from benchmarks.__main__ import machine_facts
from examples import train_ppo
from llm_control.agents.policy_file import load_policy, save_policy
from testbed.benchmark import TRAIN_SEED, Act, Score, score
from testbed.curriculum import Generated, Replayed
from testbed.tasks import parse_levels

PLAN: dict[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))

FIGURES = Path(__file__).parents[1] / "docs" / "figures"

PARTS = 20
"""Parts into which a curve divides the training steps; each point is the pass rate of one part."""

Floats = npt.NDArray[np.float64]


class Run(NamedTuple):
    """One training: of an algorithm, from an observation, on levels such as "3" or "1-10"."""

    algorithm: str
    observation: str
    curriculum: str
    levels: str
    seed: int
    steps: int

    @property
    def name(self) -> str:
        """Name of its files."""
        return "_".join(map(str, self)).replace(" ", "-").replace(",", "+")

    @property
    def environment(self) -> dict[str, Any]:
        """Options of its environment."""
        found: dict[str, Any] = PLAN["environments"][self.observation]
        return found


def planned(plan: dict[str, Any]) -> Iterator[Run]:
    """All runs of a plan: of each block and level, all seeds of all algorithms."""
    for block in plan["plan"]:
        for levels in block["levels"]:
            for seed in plan["seeds"]:
                for algorithm in block["algorithms"]:
                    for curriculum in block.get("curricula", ["uniform"]):
                        where = block["observation"], curriculum, levels
                        yield Run(algorithm, *where, seed, block["steps"])


class Novelty(VecEnvWrapper):
    """Adds to each reward the prediction error of a random network's features: RND, arXiv 1810.12894.

    The error is divided by the running deviation of its discounted sum and multiplied by `weight`.
    """

    def __init__(self, envs: VecEnv, weight: float, seed: int) -> None:
        super().__init__(envs)
        size = int(np.prod(self.observation_space.shape or ()))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            # The predictor has a layer more, so that it can imitate.
            self._target = nn.Sequential(nn.Linear(size, 64), nn.ReLU(), nn.Linear(64, 32))
            self._predictor = nn.Sequential(
                nn.Linear(size, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32)
            )
        self._adam = torch.optim.Adam(self._predictor.parameters(), lr=1e-4)
        self._weight, self._seen = weight, RunningMeanStd(shape=(size,))
        self._sums, self._spread = np.zeros(self.num_envs), RunningMeanStd(shape=())

    def reset(self) -> VecEnvObs:
        """Reset the environments."""
        return self.venv.reset()

    def step_wait(self) -> VecEnvStepReturn:
        """Step the environments, and learn to predict what they show."""
        observations, rewards, dones, infos = self.venv.step_wait()
        reached = np.array(observations, dtype=np.float64).reshape(self.num_envs, -1)
        for number in np.flatnonzero(dones):
            reached[number] = infos[number]["terminal_observation"].ravel()
        return observations, rewards + self._weight * self._novelty(reached), dones, infos

    def _novelty(self, reached: Floats) -> Floats:
        self._seen.update(reached)
        scaled = (reached - self._seen.mean) / np.sqrt(self._seen.var + 1e-8)
        batch = torch.as_tensor(scaled.clip(-5, 5), dtype=torch.float32)
        errors = (self._predictor(batch) - self._target(batch).detach()).square().mean(dim=1)
        self._adam.zero_grad()
        errors.mean().backward()
        self._adam.step()
        found: Floats = errors.detach().numpy().astype(np.float64)
        self._sums = 0.99 * self._sums + found
        self._spread.update(self._sums)
        return found / float(np.sqrt(self._spread.var + 1e-8))


class Watch(BaseCallback):
    """Counts the episodes and passes of each part of the training; scores tasks for `Replayed`."""

    def __init__(self, actions: int, replay: bool) -> None:
        super().__init__()
        self._actions, self._replay = actions, replay
        self.counts = np.zeros((2, PARTS))
        self._tasks: list[list[tuple[str, bool]]] = []
        self._open: dict[int, list[float]] = {}

    def _on_step(self) -> bool:
        part = min((self.num_timesteps - 1) * PARTS // self._actions, PARTS - 1)
        infos = self.locals["infos"]
        for info in infos:
            if "episode" in info:
                self.counts[:, part] += 1, info["is_success"]
        if self._replay:
            self._tasks.append([(info["arena"], "episode" in info) for info in infos])
        return True

    def _on_rollout_end(self) -> None:
        if not self._replay:
            return
        losses = np.abs(self.model.rollout_buffer.advantages)  # type: ignore[attr-defined]
        scores = {}
        for tasks, row in zip(self._tasks, losses, strict=True):
            for number, ((task, ended), loss) in enumerate(zip(tasks, row, strict=True)):
                self._open.setdefault(number, []).append(float(loss))
                if ended:
                    scores[task] = float(np.mean(self._open.pop(number)))
        self._tasks.clear()
        for stream in self.training_env.get_attr("curriculum"):
            stream.scored(scores)


def model(planned: Run, envs: VecEnv) -> BaseAlgorithm:
    """An algorithm before learning, on the processor."""
    told = PLAN["algorithms"][planned.algorithm]
    policy, options = told["policy"], dict(told["options"])
    if planned.observation == "camera":
        policy, options = PLAN["camera"]["policy"], options | PLAN["camera"]["options"]
        options["policy_kwargs"] = train_ppo.LEARNS["camera"]["policy_kwargs"]
    library, _, name = told["class"].rpartition(".")
    made = getattr(import_module(library), name)(policy, envs, seed=planned.seed, device="cpu", **options)
    assert isinstance(made, BaseAlgorithm)
    return made


def train(planned: Run, path: Path) -> list[float]:
    """Train, save the policy file; return the pass rate of each part of the training."""
    told = PLAN["algorithms"][planned.algorithm]
    replay = planned.curriculum == "replay"
    tasks = (Replayed if replay else Generated)(planned.levels, seed=TRAIN_SEED)
    envs: VecEnv = VecMonitor(ArenaVecEnv(told["arenas"], tasks, task_info=replay, **planned.environment))
    if "novelty" in told:
        envs = Novelty(envs, told["novelty"], planned.seed)
    learner = model(planned, envs)
    actions = planned.steps // planned.environment["action_repeat"]
    watch = Watch(actions, replay)
    learner.learn(actions, callback=watch)
    envs.close()
    trained_on = f"levels {planned.levels} of arena-llm/Level-v0, {planned.curriculum}"
    # A network of the example goes with the file: who plays it has no clone.
    cloudpickle.register_pickle_by_value(train_ppo)
    save_policy(learner, path, trained_on=trained_on, seed=planned.seed, **planned.environment)
    episodes, passes = watch.counts
    return [round(float(rate), 4) for rate in passes / np.maximum(episodes, 1)]


def best_actions(learner: Any) -> Act:
    """The best actions of a model, as `testbed.benchmark.score` plays a policy."""
    state: Any = None

    def act(observation: Any, first: bool) -> Any:
        nonlocal state
        start = np.array([first])
        action, state = learner.predict(observation, None if first else state, start, deterministic=True)
        return action

    return act


def learn(planned: Run, out: Path, commit: str) -> list[dict[str, Any]]:
    """Train, play the test tasks of the levels, and keep a row for each; a run that is there is kept."""
    result = out / f"{planned.name}.json"
    if result.is_file():
        kept: list[dict[str, Any]] = json.loads(result.read_text(encoding="utf-8"))
        return kept
    torch.set_num_threads(1)
    started = time.process_time()
    curve = train(planned, path := out / f"{planned.name}.zip")
    seconds = time.process_time() - started
    act, rows = best_actions(load_policy(path).model), []
    for level in parse_levels(planned.levels):
        found = row(planned, level, score(level, act, **planned.environment))
        rows.append(
            found | {"seconds": round(seconds, 1), "commit": commit, "curve": " ".join(map(str, curve))}
        )
    write_file(result, json.dumps(rows, indent=1) + "\n")
    return rows


def row(planned: Run, level: int, found: Score) -> dict[str, Any]:
    """A row of the table, without the training's own columns."""
    versions, facts = software_versions(), machine_facts()
    low, high = found.interval_95
    return {
        "algorithm": planned.algorithm, "observation": planned.observation, "curriculum": planned.curriculum,
        "trained_on": planned.levels, "level": level, "seed": planned.seed, "steps": planned.steps,
        "score": round(found.normalised, 4), "low": round(low, 4), "high": round(high, 4),
        "passes": found.passes, "tasks": len(found.rewards), "reward": round(found.reward, 4),
        "version": versions["arena-llm"], "physics": versions["physics"],
        "date": f"{datetime.now(UTC):%Y-%m-%d}", "machine": facts["processor"],
    }  # fmt: skip


def iqm(scores: Floats) -> tuple[float, float, float]:
    """Interquartile mean of scores (seeds, levels), and its 95 % interval by a bootstrap stratified by level.

    As rliable of arXiv 2108.13264: in each of 2,000 resamples every level draws its seeds with replacement.
    """
    seeds, levels = scores.shape
    drawn = np.random.default_rng(0).integers(seeds, size=(2000, seeds, levels))
    resampled = scores[drawn, np.arange(levels)].reshape(2000, -1)
    low, high = np.percentile(trim_mean(resampled, 0.25, axis=1), [2.5, 97.5])
    return float(trim_mean(scores, 0.25, axis=None)), float(low), float(high)


def main(
    out: Annotated[Path, typer.Option(help="Folder of policies and results.")] = Path("policies/learners"),
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = 2,
) -> None:
    """Train what the plan has and what is not there yet; write table and figure."""
    check_output_folder(out)
    out.mkdir(parents=True, exist_ok=True)
    head = ["git", "-C", str(FIGURES), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(head, capture_output=True, text=True, check=True).stdout.strip()
    runs = list(planned(PLAN))
    for number, rows in enumerate(in_order(partial(learn, out=out, commit=commit), runs, jobs), 1):
        scores = ", ".join(f"{each['score']:.2f}" for each in rows)
        print(f"{number} of {len(runs)}: {runs[number - 1].name}: {scores}", flush=True)


if __name__ == "__main__":
    run(main, "benchmarks.learners")
