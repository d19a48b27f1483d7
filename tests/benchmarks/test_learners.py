"""The benchmark of learners at small size: its runs, its table, and its policies in an evaluation."""

import csv
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="policies are trained with the extra rl")

from gymnasium.spaces import Box, Discrete
from stable_baselines3.common.vec_env import VecEnv

import testbed.benchmark
from benchmarks import learners
from benchmarks.learners import PLAN, Novelty, Run, Watch, actions_of, learn, planned
from llm_control.agents.policy_file import load_policy
from testbed.benchmark import score, scored_tasks
from testbed.tasks import parse_levels

LEVELS, TASKS = "1,3", 3
SMALL = {
    "seeds": [100],
    "plan": [
        {"algorithms": ["PPO"], "observation": "rays", "levels": [LEVELS], "steps": 73_728,
         "curricula": ["uniform", "replay"]},
        {"algorithms": ["PPO with RND", "recurrent PPO", "DQN"], "observation": "rays", "levels": [LEVELS],
         "steps": 3_000},
        {"algorithms": ["PPO"], "observation": "camera", "levels": [LEVELS], "steps": 4_000},
        {"algorithms": ["random", "nothing", "oracle"], "observation": "none", "levels": [LEVELS],
         "steps": 0},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of policies and figures of a small plan, played on three test tasks of each level."""
    with pytest.MonkeyPatch.context() as patch:
        few = {level: scored_tasks(level)[:: 90 // TASKS] for level in (1, 3)}
        for module in (testbed.benchmark, learners):
            patch.setattr(module, "scored_tasks", few.__getitem__)
        patch.setattr(learners, "PLAN", learners.PLAN | SMALL)
        patch.setattr(learners.Replayed, "__init__", _small_buffer(learners.Replayed.__init__))
        out = tmp_path_factory.mktemp("learners")
        learners.main(out, out / "figures", out / "asset", jobs=1)
        first = {path.name: path.stat().st_mtime_ns for path in out.glob("*.*")}
        learners.main(out, out / "figures", None, jobs=1)
        assert {path.name: path.stat().st_mtime_ns for path in out.glob("*.*")} == first
        yield out


def _small_buffer(init):
    return lambda self, levels, seed: init(self, levels, seed, size=8)


@pytest.mark.slow
def test_every_run_has_a_row_for_each_level_and_a_policy(made):
    rows = list(csv.DictReader((made / "figures" / "learners.csv").open(encoding="utf-8")))
    names = ["PPO", "PPO, level replay", "PPO with RND", "recurrent PPO", "DQN", "PPO, camera"]
    assert [row["learner"] for row in rows[::2]] == [*names, "random", "nothing", "oracle"]
    assert [row["level"] for row in rows] == ["1", "3"] * 9
    assert {row["tasks"] for row in rows} == {str(TASKS)}
    scores = {row["learner"]: float(row["score"]) for row in rows}
    assert scores["oracle"] == 1
    assert all(int(row["passes"]) == TASKS for row in rows[-2:])
    uniform, replayed = (
        load_policy(*made.glob(f"PPO_rays_{each}_*.zip")).model.policy.parameters_to_vector()
        for each in ("uniform", "replay")
    )
    assert np.abs(uniform - replayed).max() > 1e-3
    assert (made / "figures" / "learners.png").read_bytes().startswith(b"\x89PNG")
    with zipfile.ZipFile(made / "asset") as archive:
        assert sorted(name for name in archive.namelist() if name.endswith(".zip")) == sorted(
            path.name for path in made.glob("*.zip")
        )
        assert {"model-card.md", "learners.csv"} < set(archive.namelist())
        assert len(archive.namelist()) == len(names) + 2


def test_the_published_table_has_all_seeds_of_its_learners_and_references_at_the_ends_of_the_scale():
    with (learners.DOCS / "figures" / "learners.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    plan = [run.learner for run in planned(PLAN) for _ in parse_levels(run.levels)]
    assert [row["learner"] for row in rows] == plan
    assert len({(row["version"], row["physics"]) for row in rows}) == 1
    assert {row["tasks"] for row in rows} == {"90"}
    scores = {name: [float(row["score"]) for row in rows if row["learner"] == name] for name in plan}
    assert set(scores["oracle"]) == {1.0}
    assert max(map(abs, scores["nothing"] + scores["random"])) < 0.15
    assert all(0.2 < score < 0.6 for score in scores["likeliest door"])
    assert {row["passes"] for row in rows if row["learner"] == "oracle"} == {"90"}


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["PPO_rays_replay", "recurrent-PPO_rays", "PPO_camera"])
def test_an_evaluation_of_a_policy_gives_the_rewards_of_the_benchmark(made, learner, tmp_path, command):
    (policy,) = made.glob(f"{learner}_*.zip")
    tasks = scored_tasks(1)[:: 90 // TASKS]
    for task in tasks:
        (tmp_path / "tasks").mkdir(exist_ok=True)
        (tmp_path / "tasks" / f"{task.id}.yaml").write_text(task.text(), encoding="utf-8")
    played = command(
        "eval", "--model", f"policy:{policy}", "--testbed", str(tmp_path / "tasks"),
        "--log-dir", str(tmp_path / "logs"), "--out", str(tmp_path / "report"),
    )  # fmt: skip
    assert played.returncode == 0, played.stderr
    rows = list(csv.DictReader((tmp_path / "report" / "results.csv").open(encoding="utf-8")))
    loaded = load_policy(policy)
    found = score(1, actions_of(loaded.model), **loaded.description.environment.model_dump())
    rewards = {row["task_id"]: float(row["total_reward"]) for row in rows}
    assert rewards == pytest.approx(dict(zip([each.id for each in tasks], found.rewards, strict=True)))
    (kept,) = (row for row in learn(_run(policy), made, {}) if row["level"] == 1)
    assert kept["reward"] == pytest.approx(np.mean(list(rewards.values())), abs=1e-4)


def _run(policy):
    algorithm, observation, curriculum, levels, seed, steps = policy.stem.split("_")
    levels = levels.replace("+", ",")
    return Run(algorithm.replace("-", " "), observation, curriculum, levels, int(seed), int(steps))


class Shown(VecEnv):
    """Two environments that show given observations; the first ends its episode in each step."""

    def __init__(self, shown):
        self.shown = iter(shown)
        super().__init__(2, Box(-np.inf, np.inf, (3,)), Discrete(2))

    def reset(self):
        return np.zeros((2, 3))

    def step_async(self, actions):
        pass

    def step_wait(self):
        last = {"terminal_observation": np.array(next(self.shown), dtype=np.float32)}
        return np.zeros((2, 3), np.float32), np.array([1.0, 2.0]), np.array([True, False]), [last, {}]

    def get_attr(self, name, indices=None):
        return [None, None]

    close = set_attr = env_method = env_is_wrapped = step_async


def test_what_was_seen_often_is_less_novel_than_what_is_new():
    envs = Novelty(Shown([[0, 0, 0]] * 1000 + [[1, -1, 1]]), 0.5, seed=1)
    gains = np.array([envs.step(np.zeros(2))[1] for _ in range(1001)]) - [1, 2]
    assert (gains >= 0).all()
    assert gains[900:1000].mean() < gains[10:100].mean() / 2
    # The first saw something new, in the last observation of its episode; the second did not.
    assert gains[-1, 0] > 100 * gains[-1, 1]


def test_tasks_are_scored_by_the_mean_loss_of_whole_episodes():
    told = []
    stream = SimpleNamespace(scored=told.append)
    watch = Watch(40, replay=True)
    training = SimpleNamespace(get_attr=lambda name: [stream, stream])
    buffer = SimpleNamespace(advantages=np.array([[1.0, -2.0], [-3.0, 4.0]]))
    watch.model = SimpleNamespace(get_env=lambda: training, rollout_buffer=buffer)
    for turn in range(4):
        ends = {"episode": {}, "is_success": turn == 2} if turn % 2 == 0 else {}
        watch.num_timesteps = 10 * (turn + 1)
        watch.locals = {"infos": [{"arena": f"a{(turn + 1) // 2}", **ends}, {"arena": "b"}]}
        watch._on_step()
        if turn % 2:
            watch._on_rollout_end()
    assert told == [{"a0": 1.0}] * 2 + [{"a1": 2.0}] * 2
    assert watch.counts.sum(axis=1).tolist() == [2, 1]
