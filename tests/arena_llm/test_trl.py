"""TRL plays EST by what a scripted model writes, also through an OpenEnv server; the example trains."""

import json
import subprocess
import sys
from contextlib import nullcontext
from itertools import cycle
from pathlib import Path
from runpy import run_path

import pytest

pytest.importorskip("trl", reason="language models are trained with the extra train")

from arena_llm.training import environment, prompts
from evaluation.opened import Opened
from tests.arena_llm.test_serve import client_of, serving

pytestmark = pytest.mark.slow

CHOICES = {"machine": "ivre", "replies": "text"}
EXAMPLE = Path(__file__).parents[2] / "examples" / "train_llm.py"


def trained(factory, row, said, folder):
    """TRL's trainer after one update, in which a model has said these texts."""
    from trl import GRPOConfig, GRPOTrainer

    example = run_path(str(EXAMPLE))
    tokenizer = example["tokenizer_of"]([row["prompt"][0][0]["content"], *said])

    class Scripted(GRPOTrainer):
        def _generate_single_turn(self, prompt_ids, *rest, **named):
            talking = not self.__dict__.get("asked")
            self.asked = True
            # After a call, what it showed is answered by nothing more.
            texts = [text if talking else "Done." for _, text in zip(prompt_ids, cycle(said))]
            return [tokenizer(f"{text}<|end|>")["input_ids"] for text in texts], None

    config = GRPOConfig(
        str(folder),
        max_steps=1,
        per_device_train_batch_size=len(said),
        num_generations=len(said),
        max_completion_length=700,
        **{**example["TRAINS"], "logging_steps": 1},
    )
    options = {"processing_class": tokenizer, "environment_factory": factory}
    trainer = Scripted(example["model_of"](tokenizer), args=config, train_dataset=row, **options)
    trainer.train()
    return trainer


def remote(url):
    """A class of environments that a server plays."""

    class Remote:
        def __init__(self):
            self._client = client_of(url).connect()

        def reset(self, task_id, **row):
            return self._client.reset(task=task_id).observation["text"]

        def act(self, reply: str) -> str:
            """Play a reply.

            Args:
                reply: The reply, as the rules ask for it.
            """
            return self._client.step({"reply": reply}).observation["text"]

        def get_reward(self) -> float:
            return self._client.state()["score"] or 0.0

    return Remote


@pytest.mark.parametrize("served", [False, True])
def test_trl_plays_by_what_the_model_writes(tmp_path, served):
    row = prompts("est", size=1, **CHOICES)
    (name,) = row["task_id"]
    blickets = Opened.named("est", **CHOICES).setup(name).task.content["blickets"]
    right = ", ".join(f"{k + 1}: {int(k in blickets)}" for k in range(9))
    said = (f"Belief([{right}]); Trial([]);", "Done.", "Belief([")
    server = serving("--suite", "est", "--machine", "ivre") if served else nullcontext(("", None))
    with server as (url, _):
        factory = remote(url) if served else environment("est", **CHOICES)
        trainer = trained(factory, row, said, tmp_path)
        assert [each.get_reward() for each in trainer.environments] == [1.0, 0.0, 0.0]
    (logged,) = (each for each in trainer.state.log_history if "reward" in each)
    assert logged["reward"] == pytest.approx(1 / 3)
    assert logged["tools/call_frequency"] == pytest.approx(2 / 3)
    assert logged["tools/failure_frequency"] == 0


@pytest.mark.timeout(3000)
def test_the_example_leads_to_a_model(tmp_path):
    small = ["--transcripts", "200", "--updates", "1", "--unseen", "4", "--save", str(tmp_path)]
    done = subprocess.run([sys.executable, str(EXAMPLE), *small], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert [len(result[name]["rewards"]) for name in ("before", "after the fit", "after GRPO")] == [4, 4, 4]
    assert (tmp_path / "model.safetensors").is_file()
