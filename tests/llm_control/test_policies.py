"""Learned policies play as in the environment, and stand in logs, reports and comparisons as others do."""

import json
import re

import inspect_ai
import numpy as np
import pandas as pd
import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from arena import ArenaEnv, Episode, Recording
from arena.errors import ArenaError
from evaluation.engines.backend import worthwhile_processes
from evaluation.evaluate import earlier_log
from evaluation.generation.budget import RunLimits
from evaluation.inspect_task.registry import registered
from evaluation.request import full_name
from llm_control.agents.policy_file import PolicyAgent, load_policy
from llm_control.environment import ArenaEnvironment
from llm_control.players import STEPS_PER_TURN, play
from testbed import find_tasks
from tests.arena.learning import same
from tests.arena.worlds import agent, item, spec
from tests.llm_control.batteries import ARENA, eval_request, evaluated, run, setup_of, shared_battery_of
from tests.llm_control.policies import ACTING, Once, told_policy, trained

WORLD = (agent("20 0 10"), item("GoodGoal", "20 0 30", sizes="1 1 1"), item("LightBlock", sizes="1 1 1"))

battery = shared_battery_of((20, 16), (24, 20), (30, 30))


@pytest.fixture(scope="module")
def file(battery):
    pytest.importorskip("stable_baselines3", reason="pip install 'arena-llm[rl]'")
    return trained(battery.parent / "ppo.zip", battery / "01-04-03.yaml")


def play_policy(policy, task, trial, choices):
    """The record of an episode that a policy plays, and its recording."""
    environment = ArenaEnvironment(setup_of(task, choices, trial))
    record = play(PolicyAgent(policy, choices.sample_actions), environment)
    return record, Recording.model_validate(record.replay)


@pytest.mark.parametrize(
    "options",
    [
        {"observation": ("rays", "vector"), "frame_stack": 3, "action_repeat": 2},
        {"observation": ("camera", "vector"), "resolution": 32, "grayscale": True, "frame_stack": 2},
        {"observation": "vector", "action": "multidiscrete", "action_repeat": 3},
        {"observation": "rays", "action": "continuous", "ray_tags": 18},
    ],
    ids=lambda options: str(options["observation"]),
)
def test_it_observes_what_the_environment_gives(options):
    """The same task, seed and actions: the same observations to the bit, and the same end."""
    world = spec(*WORLD, t=60)
    env = ArenaEnv(Once(world, "here", seed=7, trial=2), **options)
    env.action_space.seed(3)
    actions = [env.action_space.sample() for _ in range(150)]
    policy = told_policy(options, actions)
    with Episode(world, task_id="here", seed=7, trial=2) as episode:
        player = PolicyAgent(policy)
        while not episode.done:
            episode.step(player.act(episode))
        reward, steps = episode.total_reward, episode.steps
    seen, total, over = env.reset(seed=0)[0], 0.0, False
    for number, observed in enumerate(policy.model.seen):
        assert not over
        assert same(seen, observed), number
        seen, gained, over, _, _ = env.step(actions[number % len(actions)])
        total += gained
    assert over
    assert total == pytest.approx(reward, abs=1e-12)
    assert env.episode.steps == steps > 60


def test_an_episode_is_told_in_turns_of_steps_that_say_no_script(battery):
    task = find_tasks(None, battery)[0]
    policy = told_policy({"observation": "vector", "action": "multidiscrete"}, [np.array([2, 1])])
    record, recording = play_policy(policy, task, 0, ACTING)
    steps = [turn["steps"] for turn in record.turns]
    assert set(steps[:-1]) == {STEPS_PER_TURN}
    assert sum(steps) == recording.steps
    assert set(recording.unpacked()) == {(2, 1)}
    assert record.model_end == "episode"
    assert all(turn["error"] is None and not turn["thoughts"] for turn in record.turns)


def test_it_waits_first_where_the_protocol_says_so(battery):
    task = find_tasks(None, battery)[0]
    policy = told_policy({"observation": "vector"}, [3])
    waiting = ACTING.model_copy(update={"initial_idle_steps": (1, 16)})
    record, recording = play_policy(policy, task, 0, waiting)
    assert recording.actions[0] == (0, 17)
    assert record.turns[0]["steps"] <= STEPS_PER_TURN


@pytest.mark.e2e
def test_a_run_is_reported_verified_replayed_and_compared(command, battery, file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = f"policy:{file}"
    asked = ("eval", "--model", name, "--testbed", battery, "--trials", 2, "--plan", "plan.json")
    said = command(*asked)
    assert said.returncode == 0, said.stderr
    (log,) = (tmp_path / "logs").glob("*.eval")
    results = pd.read_csv(log.with_suffix("") / "results.csv")
    assert len(results) == 6
    assert results["error"].isna().all()
    assert json.loads((tmp_path / "plan.json").read_text())["policy"] == load_policy(file).sha256
    assert "no unfinished run" in command(*asked, "--resume").stderr

    verified = command("verify", log, "--frames", "--jobs", 1, "--json", "findings.json")
    assert verified.returncode == 0
    assert "6 of 6 episodes: agrees" in verified.stdout
    assert "Note" not in verified.stdout

    assert command("replay", log, "--sample", "01-06-02", "--trial", 1).returncode == 0
    compared = command("compare", log, "--out", "compared")
    assert compared.returncode == 0, compared.stderr
    assert (tmp_path / "compared" / "index.html").is_file()


def test_the_report_says_who_acted_and_how(command, battery, file, tmp_path):
    log = run(battery, tmp_path, f"policy:{file}", tasks="01-04-03").log
    assert command("report", log, "--out", tmp_path / "report").returncode == 0
    methods = (tmp_path / "report" / "index.html").read_text()
    for words in ("learned policy", load_policy(file).sha256, "trained on one ball ahead for 64 actions"):
        assert words in methods
    assert "Temperature" not in methods
    (page,) = (tmp_path / "report" / "episodes").rglob("01-04-03_1.html")
    text = page.read_text()
    assert "The policy was not sent these pictures" in text
    assert "kept from an interrupted attempt" not in text
    assert len(list(page.with_suffix("").glob("*.webp"))) == len(re.findall("<b>Turn ", text)) + 1


def test_a_changed_log_is_found_out(command, battery, file, tmp_path):
    """Another action in the recording, and another reward of a turn, are findings."""
    log = read_eval_log(str(run(battery, tmp_path, f"policy:{file}", tasks="01-04-03").log))
    episode = log.samples[0].metadata["episode"]
    (first, count), *rest = episode["replay"]["actions"]
    episode["replay"]["actions"] = [[(first + 3) % 9, count], *rest]
    write_eval_log(log, str(tmp_path / "changed.eval"))
    said = command("verify", tmp_path / "changed.eval", "--testbed", battery, "--jobs", 1)
    assert said.returncode == 1
    assert "differs" in said.stdout


def test_sampled_actions_follow_from_the_seed(battery, file):
    policy, task = load_policy(file), find_tasks(None, battery)[2]
    sampling = ACTING.model_copy(update={"sample_actions": True})
    one, again = (play_policy(policy, task, 0, sampling)[1] for _ in range(2))
    assert one == again
    assert play_policy(policy, task, 1, sampling)[1].actions != one.actions
    assert play_policy(policy, task, 0, ACTING)[1].actions != one.actions


def test_processes_play_what_one_plays(battery, file, tmp_path, monkeypatch):
    alone = run(battery, tmp_path / "alone", f"policy:{file}")
    monkeypatch.setattr("evaluation.evaluate.worthwhile_processes", lambda episodes: 1)
    assert run(battery, tmp_path / "apart", f"policy:{file}").rows == alone.rows
    assert worthwhile_processes(3) == 0


def test_a_policy_that_was_trained_anew_is_another_agent(battery, file, tmp_path):
    other = tmp_path / "policy.zip"
    other.write_bytes(file.read_bytes())
    request = eval_request(f"policy:{other}", battery, choices={"tasks": "01-04-03"})
    run(battery, tmp_path / "logs", f"policy:{other}", tasks="01-04-03")
    found = earlier_log(request, tmp_path / "logs")
    assert found is not None
    assert found[1]
    trained(other, battery / "01-04-03.yaml", seed=2)
    again = eval_request(f"policy:{other}", battery, choices={"tasks": "01-04-03"})
    assert earlier_log(again, tmp_path / "logs") is None


WITHOUT_EFFECT = ("--icl", "--max-scripts 5", "--images last-4", "--conversation run", "--replies tools")


@pytest.mark.parametrize(
    "option", [*WITHOUT_EFFECT, "--max-cost 5", "--max-tokens-run 5", "--prompt prompt.txt"]
)
def test_options_without_effect_are_refused(command, battery, file, option):
    said = command("eval", "--model", f"policy:{file}", "--testbed", battery, *option.split())
    assert said.returncode == 1
    assert "does not apply to an agent that plays" in said.stderr
    assert said.stderr.count("\n") == 1


@pytest.mark.parametrize("model", ["arena/held", "policy:{}"])
def test_a_preset_keeps_what_has_an_effect(model, file):
    request = eval_request(model.format(file), protocol="paper-experiment-1", choices={"seed": "3"})
    given = request.effective
    assert given.choices == ACTING.model_copy(
        update={"battery": "llm-aai", "tasks": given.choices.tasks, "trials": 3, "seed": 3, "chance": "unity"}
    )
    assert given.origins["trials"] == "preset paper-experiment-1"
    assert given.origins["seed"] == "option"
    assert given.origins["replies"] == "agent"
    assert "max_scripts" not in [name for name, *_ in given.rows()]


@pytest.mark.parametrize(
    ("model", "choices", "message"),
    [
        ("arena/random", {"replies": "steps", "max_scripts": None}, "is for agents that play whole episodes"),
        ("arena/random", {"replies": "steps"}, "without scripts"),
        ("arena/random", {"sample_actions": True}, "is for learned policies only"),
        ("arena/held", {"sample_actions": True}, "is for learned policies only"),
        ("policy:a,b.zip", {}, "a,b.zip: the path of a policy must have no comma"),
    ],
)
def test_choices_for_others_and_a_comma_in_a_path_are_refused(model, choices, message, battery, tmp_path):
    with pytest.raises(ArenaError, match=message):
        run(battery, tmp_path, model, **choices)


def test_inspect_plays_a_policy_when_told_to(battery, file, tmp_path):
    def score(**more):
        task = registered(ARENA)(folder=str(battery), tasks="01-04-03", **more)
        model = full_name(ARENA, f"policy:{file}")
        (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path), display="none")
        return log.samples[0]

    played = score(replies="steps", max_scripts="none", initial_idle_steps="0")
    assert played.metadata["policy"]["sha256"] == load_policy(file).sha256
    assert played.scores["episode_score"].metadata["steps"] == played.metadata["episode"]["replay"]["steps"]
    assert "plays whole episodes and writes no replies" in score().error.message


def test_a_run_that_a_limit_ended_is_resumed(battery, file, tmp_path):
    request = eval_request(f"policy:{file}", battery)
    stopped = evaluated(request, tmp_path, limits=RunLimits(seconds=0))
    assert not any(row.steps for row in stopped.rows)
    resumed = evaluated(request, tmp_path, resume=True)
    assert resumed.complete
    assert [row.passed is not None for row in resumed.rows] == [True] * 3
