"""The example that trains a policy, at small size, from the first action to an evaluation of what it made."""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from runpy import run_path

import pytest
import typer

pytest.importorskip("stable_baselines3", reason="policies are trained with the extra sb3")

from llm_control.agents.policy_file import load_policy

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_ppo.py"
SMALL = {"actions": 320, "environments": 2, "rollout": 160, "unseen": 2, "seed": 3}


def train(out, observation, *more, **changed):
    options = [text for name, value in (SMALL | changed).items() for text in (f"--{name}", str(value))]
    command = [sys.executable, str(EXAMPLE), "--observation", observation, "--out", str(out), *options, *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)


@pytest.mark.parametrize(
    ("observation", "more"),
    [
        ("rays", []),
        pytest.param("camera", [], marks=pytest.mark.slow),
        pytest.param(
            "rays", ["--levels", "11", "--recurrent", "--environments", "1"], marks=pytest.mark.slow
        ),
    ],
)
def test_what_was_trained_is_a_policy_that_can_be_evaluated(observation, more, tmp_path, command):
    done = train(tmp_path, observation, *more)
    assert done.returncode == 0, done.stderr
    assert "of 2 unseen tasks passed by best actions" in done.stdout
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert (result["actions"], result["unseen_tasks"], result["seed"]) == (320, 2, 3)
    assert result["stopped_early"] is False
    for name in ("best", "drawn"):
        low, high = result[name]["interval_95"]
        assert 0 <= low <= result[name]["pass_rate"] == result[name]["passes"] / 2 <= high <= 1
        assert ("prior_rate" in result[name]) == ("11" in more)
        assert 1 / 4 <= result[name].get("prior_rate", 0.5) <= 1 / 2
    with (tmp_path / "curve.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert int(rows[-1]["actions"]) == 320
    assert int(rows[-1]["episodes"]) == result["episodes"] > 0
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    told = load_policy(tmp_path / "policy.zip").description
    assert (told.environment.observation, told.steps, told.seed) == (observation, 320, 3)
    played = command(
        "eval", "--model", f"policy:{tmp_path / 'policy.zip'}", "--tasks", "01-01-01,01-05-02",
        "--log-dir", str(tmp_path / "logs"), "--out", str(tmp_path / "report"),
    )  # fmt: skip
    assert played.returncode == 0, played.stderr
    assert (tmp_path / "report" / "results.csv").is_file()


@pytest.mark.slow
def test_training_goes_on_from_its_last_checkpoint(tmp_path):
    first = train(tmp_path, "rays")
    assert first.returncode == 0, first.stderr
    curve = (tmp_path / "curve.csv").read_text(encoding="utf-8")
    module = run_path(str(EXAMPLE))
    with pytest.raises(typer.BadParameter, match=r"000000000320\.zip; continue with --resume"):
        module["last_checkpoint"](tmp_path, False)
    checkpoint = module["last_checkpoint"](tmp_path, True)
    with pytest.raises(typer.BadParameter, match="was trained from rays with seed 3"):
        module["resumed"](module["PPO"], checkpoint, None, {"seed": 4})
    longer = train(tmp_path, "rays", "--resume", actions=960, checkpoint=320)
    assert longer.returncode == 0, longer.stderr
    steps = [load_policy(path).description.steps for path in sorted((tmp_path / "checkpoints").iterdir())]
    assert steps == [320, 640, 960]
    resumed = (tmp_path / "curve.csv").read_text(encoding="utf-8")
    assert resumed.startswith(curve)
    assert [row.split(",")[1] for row in resumed.splitlines()[-1:]] == ["960"]


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_learned(tmp_path):
    options = ["--out", str(tmp_path), *(f"--{name}={value}" for name, value in SMALL.items())]
    command = [sys.executable, str(EXAMPLE), *options, "--actions=100000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as running:
        assert running.stdout is not None
        assert "episodes" in running.stdout.readline()
        os.killpg(running.pid, signal.SIGINT)
        said = running.stdout.read()
    assert running.returncode == 0
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert result["stopped_early"] is True
    assert f"stopped after {result['actions']:,} actions" in said
    assert load_policy(tmp_path / "policy.zip").description.steps == result["actions"]


def test_a_wrong_option_is_said_before_anything_starts(tmp_path):
    done = train(tmp_path / "none", "smell")
    assert done.returncode == 2
    assert "smell" in done.stderr
    assert not (tmp_path / "none").exists()
