"""What Inspect AI shows of a run: the battery's version, scores, and metrics by group."""

import math

import inspect_ai
import pytest
from inspect_ai.model import get_model
from inspect_ai.scorer import SampleScore, Score

from evaluation.inspect_task.registry import registered
from evaluation.inspect_task.scoring import by_group, pass_rate, stderr
from testbed.tasks import LEVELS_FOLDER, files_version, find_paths
from tests.llm_control.batteries import ARENA, write_battery
from tests.llm_control.replies import said

SMALL = {"image_size": 16, "initial_idle_steps": 1, "max_scripts": 2}


def score(task: str, passed: bool | None, level: int) -> SampleScore:
    row = {"passed": passed, "score": None if passed is None else float(passed)}
    value = math.nan if passed is None else float(passed)
    return SampleScore(
        score=Score(value=value, metadata=row), sample_id=task, sample_metadata={"group": level}
    )


def test_variants_and_trials_of_a_task_are_one_cluster():
    scores = [score("10-01-01", True, 10)] * 2 + [score("10-01-02", True, 10), score("10-02-01", False, 10)]
    scores += [score("02-01-01", False, 2), score("02-01-02", True, 2), score("02-01-03", None, 2)]
    assert pass_rate()(scores) == pytest.approx(4 / 6)
    # Three tasks, with sums of deviations from the mean of 1, -2/3 and -1/3.
    squares = 1 + 4 / 9 + 1 / 9
    assert stderr()(scores) == pytest.approx(math.sqrt(squares * 3 / 2) / 6)
    found = by_group()(scores)
    assert list(found) == ["pass_rate 2", "pass_rate 10", "stderr 2", "stderr 10"]
    assert found["pass_rate 10"] == pytest.approx(3 / 4)
    assert found["stderr 10"] == pytest.approx(math.sqrt(2 * ((3 / 4) ** 2 * 2)) / 4)
    assert math.isnan(found["stderr 2"])


@pytest.mark.parametrize("conversation", ["episode", "run"])
def test_a_log_has_rates_by_level_rewards_and_replies(conversation, tmp_path):
    battery = write_battery(tmp_path / "battery", (20, 16), (24, 20), (20, 16))
    (battery / "01-21-01.yaml").rename(battery / "02-01-01.yaml")
    task = registered(ARENA)(folder=str(battery), conversation=conversation, **SMALL)
    replies = [said("Go(20);"), said("Turn(6);"), said("Turn(6);"), said("Turn(6);"), said("Go(20);")]
    model = get_model("mockllm/model", custom_outputs=replies)
    (log,) = inspect_ai.eval(task, model, display="none", log_dir=str(tmp_path / "logs"), max_samples=1)
    assert log.eval.task_version == files_version(battery) != files_version()
    metrics = {each.name: {k: m.value for k, m in each.metrics.items()} for each in log.results.scores}
    assert metrics["episode_score"]["pass_rate"] == pytest.approx(2 / 3)
    assert (metrics["episode_score"]["pass_rate 1"], metrics["episode_score"]["pass_rate 2"]) == (0.5, 1)
    assert metrics["episode_score"]["stderr 1"] == pytest.approx(0.5)
    assert metrics["replies"]["mean"] == pytest.approx(5 / 3)
    rows = [
        row
        for s in log.samples
        for row in (s.metadata.get("episodes") or {"": s.metadata["episode"]}).values()
    ]
    assert metrics["total_reward"]["mean"] == pytest.approx(sum(row["total_reward"] for row in rows) / 3)
    assert metrics["total_reward"]["stderr"] > 0


def test_what_a_limit_ended_has_no_reward_and_no_verdict(tmp_path):
    battery = write_battery(tmp_path / "battery", (20, 16), (24, 20))
    task = registered(ARENA)(folder=str(battery), max_tokens_per_episode=5, **SMALL)
    model = get_model(
        "mockllm/model", custom_outputs=[said("Turn(6);", 9), said("Go(20);", 1), said("Go(9);")]
    )
    (log,) = inspect_ai.eval(task, model, display="none", log_dir=str(tmp_path / "logs"), max_samples=1)
    limited, whole = sorted(log.samples, key=lambda sample: sample.limit is None)
    assert limited.limit.type == "token"
    values = {name: score.value for name, score in limited.scores.items()}
    assert values.pop("episode_score") == 0
    assert all(math.isnan(value) for value in values.values())
    assert [each.scored_samples for each in log.results.scores] == [2, 1, 1]
    metrics = {name: each.value for name, each in log.results.scores[0].metrics.items()}
    assert [metrics[name] for name in ("pass_rate", "judged_rate", "most")] == [0, 0, 0.5]
    assert whole.scores["replies"].value == whole.scores["episode_score"].metadata["turns"]


def test_the_version_of_the_battery_follows_from_its_files(tmp_path):
    for path in find_paths((1,)):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    version = files_version(tmp_path)
    assert ARENA.task_version(tmp_path) == version != ARENA.task_version(LEVELS_FOLDER)
    assert ARENA.task_version() == files_version(LEVELS_FOLDER)
    changed = tmp_path / "01-01-01.yaml"
    changed.write_text(changed.read_text() + "\n")
    assert files_version(tmp_path) != version
