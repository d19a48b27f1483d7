"""Scores of learning algorithms on the levels: `python -m benchmarks.learners`, from a clone.

`learners.yaml` has the plan. Every run is kept as it ends; the next call skips it.
"""

import json
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import cloudpickle
import numpy as np
import numpy.typing as npt
import pandas as pd
import torch
import typer
import yaml
from matplotlib.figure import Figure
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.running_mean_std import RunningMeanStd
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecMonitor
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn
from torch import nn

from arena import ACTIONS
from arena.files import check_output_folder, write_file
from arena.gym.sb3 import ArenaVecEnv
from arena.processes import in_order
from arena.rules import passed
from benchmarks import run
from benchmarks.results import provenance
from evaluation.statistics import interquartile_mean
from examples import train_ppo
from llm_control.agents.policy_file import load_policy, save_policy
from testbed.benchmark import TRAIN_SEED, Act, Score, ScoredTask, score, scored_tasks
from testbed.curriculum import Generated, Replayed
from testbed.oracle.solve import Experimenter
from testbed.oracle.world_model import Strategy
from testbed.tasks import parse_levels

PLAN: dict[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))

DOCS = Path(__file__).parents[1] / "docs"

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
    def learner(self) -> str:
        """Name in the table: the algorithm, and any observation and sampling but rays and uniform."""
        others = {"camera": "camera", "replay": "level replay"}
        return ", ".join([self.algorithm, *(others[each] for each in self[1:3] if each in others)])

    @property
    def environment(self) -> dict[str, Any]:
        """Options of its environment."""
        return PLAN["environments"][self.observation]


def planned(plan: dict[str, Any]) -> Iterator[Run]:
    """All runs of a plan: of each block and level, all seeds of all algorithms and curricula."""
    for block in plan["plan"]:
        parts = block["algorithms"], block.get("curricula", ["uniform"]), block.get("seeds", plan["seeds"])
        for levels, algorithm, curriculum, seed in product(block["levels"], *parts):
            yield Run(algorithm, block["observation"], curriculum, levels, seed, block["steps"])


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
        found = errors.detach().numpy().astype(np.float64)
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


def model(planned: Run, envs: VecEnv) -> Any:
    """An algorithm before learning, on the processor."""
    told = PLAN["algorithms"][planned.algorithm]
    policy, options = told["policy"], dict(told["options"])
    if planned.observation == "camera":
        policy, options = PLAN["camera"]["policy"], options | PLAN["camera"]["options"]
        options["policy_kwargs"] = train_ppo.LEARNS["camera"]["policy_kwargs"]
    options["learning_rate"] = LinearSchedule(options["learning_rate"], 0.0, 1.0)
    library, _, name = told["class"].rpartition(".")
    return getattr(import_module(library), name)(policy, envs, seed=planned.seed, device="cpu", **options)


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
    trained_on = f"levels {planned.levels} of the benchmark, {planned.curriculum}"
    # A network of the example goes with the file: who plays it has no clone.
    cloudpickle.register_pickle_by_value(train_ppo)
    save_policy(learner, path, trained_on=trained_on, seed=planned.seed, **planned.environment)
    episodes, passes = watch.counts
    return [round(float(rate), 4) for rate in passes / np.maximum(episodes, 1)]


def actions_of(learner: Any, best: bool = True) -> Act:
    """Best or drawn actions of a model, as `testbed.benchmark.score` plays a policy."""
    state: Any = None

    def act(observation: Any, first: bool) -> Any:
        nonlocal state
        start = np.array([first])
        action, state = learner.predict(observation, None if first else state, start, deterministic=best)
        return action

    return act


def reference(planned: Run, level: int) -> Score:
    """Score of the oracle, the likeliest door, uniformly random actions, or doing nothing."""
    tasks = scored_tasks(level)
    if planned.algorithm == "oracle":
        passes = [passed(task.oracle, task.episode().spec.pass_mark) for task in tasks]
        return Score(level, tuple(task.oracle for task in tasks), passes.count(True))
    if planned.algorithm == "likeliest door":
        played = [_likeliest_door(task) for task in tasks]
        return Score(level, tuple(reward for reward, _ in played), sum(passes for _, passes in played))
    rng, draws = np.random.default_rng([planned.seed, level]), planned.algorithm == "random"
    return score(level, lambda *_: rng.integers(9) if draws else 0, **planned.environment)


def _likeliest_door(task: ScoredTask) -> tuple[float, bool]:
    """Open a laboratory's likeliest door without an experiment, then wait; return reward and verdict."""
    with closing(task.episode()) as episode:
        player = Experimenter(episode, Strategy())
        player.run(experiments=False)
        player.attempt.run()
        while not episode.done:
            episode.step(ACTIONS[0])
        return episode.total_reward, bool(episode.passed)


def learn(planned: Run, out: Path, measured: dict[str, Any]) -> list[dict[str, Any]]:
    """Train, play the test tasks of the levels, and keep a row for each; rows that are there are kept."""
    result = out / f"{planned.name}.json"
    if not result.is_file():
        torch.set_num_threads(1)
        started, curve, policy = time.process_time(), list[float](), None
        if planned.algorithm in PLAN["algorithms"]:
            curve = train(planned, path := out / f"{planned.name}.zip")
            policy = load_policy(path).model
        about = {
            "seconds": round(time.process_time() - started, 1), "commit": measured["commit"],
            "version": measured["versions"]["arena-llm"], "physics": measured["physics"],
            "date": measured["date"], "machine": measured["processor"],
            "curve": " ".join(map(str, curve)),
        }  # fmt: skip
        rows = []
        for level in parse_levels(planned.levels):
            torch.manual_seed(planned.seed)
            # DQN has no other actions than the best ones.
            acts = [actions_of(policy, best) for best in (True, planned.algorithm == "DQN") if policy]
            known = [score(level, act, **planned.environment) for act in acts]
            played, drawn = known or [reference(planned, level)] * 2
            low, high = played.interval_95
            numbers = {"score": played.normalised, "low": low, "high": high, "reward": played.reward}
            found = {name: round(number, 4) for name, number in numbers.items()}
            found |= {"passes": played.passes, "tasks": len(played.rewards)}
            found |= {"drawn_score": round(drawn.normalised, 4), "drawn_passes": drawn.passes}
            rows.append({"learner": planned.learner} | planned._asdict() | {"level": level} | found | about)
        write_file(result, json.dumps(rows, indent=1) + "\n")
    return json.loads(result.read_text(encoding="utf-8"))


def draw(rows: pd.DataFrame, path: Path) -> None:
    """Pass rates while training, thin for a seed and thick for their mean, and interquartile means."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    curves, means = figure.subplots(1, 2, width_ratios=(3, 2))
    names = [name for name, own in rows.groupby("learner", sort=False) if {*own["level"]} == {*rows["level"]}]
    for number, name in enumerate(names):
        runs = rows[rows["learner"] == name]
        scores = runs.pivot(index="seed", columns="level", values="score").to_numpy()
        mean, low, high = interquartile_mean(scores)
        means.errorbar([mean], [number], xerr=[[mean - low], [high - mean]], fmt="o", color=f"C{number}")
        each = runs.drop_duplicates("seed")
        if each["curve"].any():
            rates = np.array([text.split() for text in each["curve"]], dtype=float)
            steps = (np.arange(PARTS) + 0.5) / PARTS * each["steps"].iloc[0] / 1e6
            curves.plot(steps, rates.T, color=f"C{number}", linewidth=0.5, alpha=0.5)
            curves.plot(steps, rates.mean(axis=0), color=f"C{number}", linewidth=1.8)
    curves.set(xlabel="million steps", ylabel="pass rate while training", ylim=(0, None))
    means.set(xlabel="normalised score", yticks=range(len(names)), yticklabels=names)
    means.invert_yaxis()
    figure.savefig(path, dpi=150)


def publish(runs: Sequence[Run], out: Path, figures: Path) -> None:
    """Write table and figure of the learners of which every seed is there."""
    paths = {each: out / f"{each.name}.json" for each in runs}
    missing = {each.learner for each, path in paths.items() if not path.is_file()}
    kept = [path.read_text(encoding="utf-8") for each, path in paths.items() if each.learner not in missing]
    if kept:
        rows = pd.DataFrame([row for text in kept for row in json.loads(text)])
        rows.to_csv(figures / "learners.csv", index=False)
        draw(rows, figures / "learners.png")


def main(
    out: Annotated[Path, typer.Option(help="Folder of policies and results.")] = Path("policies/learners"),
    figures: Annotated[Path, typer.Option(help="Folder of table and figure.")] = DOCS / "figures",
    asset: Annotated[Path | None, typer.Option(help="Archive of policies, table and model card.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = 2,
) -> None:
    """Train what the plan has and what is not there yet; write table, figure and archive."""
    for folder in (out, figures):
        check_output_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
    runs = list(planned(PLAN))
    try:
        for found in in_order(partial(learn, out=out, measured=provenance()), runs, jobs):
            scores = ", ".join(f"{row['score']:.2f}" for row in found)
            typer.echo(f"{found[0]['learner']}, seed {found[0]['seed']}: {scores}")
    finally:
        publish(runs, out, figures)
    if asset:
        with zipfile.ZipFile(asset, "w", zipfile.ZIP_DEFLATED) as archive:
            policies = [out / f"{each.name}.zip" for each in runs if each.algorithm in PLAN["algorithms"]]
            for path in (DOCS / "model-card.md", figures / "learners.csv", *policies):
                archive.write(path, path.name)


if __name__ == "__main__":
    run(main, "benchmarks.learners")
