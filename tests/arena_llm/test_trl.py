"""TRL itself plays EST by what a scripted model writes, in its own process and through an OpenEnv server."""

from itertools import cycle

import pytest

pytest.importorskip("trl", reason="language models are trained with the extra train")

from arena_llm.training import environment, prompts
from evaluation.opened import Opened
from tests.arena_llm.test_serve import client_of, serving

pytestmark = pytest.mark.slow

CHOICES = {"machine": "ivre", "replies": "text"}
ROLES = ("<|pad|>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>")
TEMPLATE = """\
{%- for m in messages -%}
{%- if m.role != 'assistant' -%}
{{- '<|system|>' if m.role == 'system' else '<|user|>' }}{{ m.content }}<|end|>
{%- else -%}
<|assistant|>{{ m.content }}
{%- for call in m.tool_calls or [] -%}
{%- if call.function.name == 'act' -%}{{ call.function.arguments.reply }}
{%- else -%}{{ call.function.name }}{{ call.function.arguments | tojson }}{%- endif -%}
{%- endfor -%}<|end|>
{%- endif -%}
{%- endfor -%}
{{- '<|assistant|>' if add_generation_prompt }}"""
ACT = {"type": "function", "function": {"name": "act", "arguments": {"reply": "{reply}"}}}
CALL = {"open_pattern": r"(?P<reply>Belief[^<]+)", "close": "<|end|>", "repeats": True, "transform": ACT}
RESPONSE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>",
    "fields": {"tool_calls": CALL, "content": {"close": "<|end|>"}},
}
"""How TRL finds the call in what the model writes."""


def tokenizer_of(text):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=[*ROLES], initial_alphabet=alphabet)
    made.train_from_iterator([text], trainer)
    named = {"pad_token": ROLES[0], "eos_token": ROLES[-1], "padding_side": "left"}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, additional_special_tokens=[*ROLES[1:-1]], **named
    )
    tokenizer.chat_template, tokenizer.response_template = TEMPLATE, RESPONSE
    return tokenizer


def trained(factory, row, said, folder):
    """TRL's trainer after one update, in which a model has said these texts."""
    from transformers import LlamaConfig, LlamaForCausalLM
    from trl import GRPOConfig, GRPOTrainer

    tokenizer = tokenizer_of(row["prompt"][0][0]["content"])

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
        logging_steps=1,
        report_to=[],
        save_strategy="no",
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        max_completion_length=700,
    )
    tiny = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=1,
        pad_token_id=tokenizer.pad_token_id,
    )
    options = {"processing_class": tokenizer, "environment_factory": factory}
    trainer = Scripted(LlamaForCausalLM(tiny), args=config, train_dataset=row, **options)
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
    right = ", ".join(str(int(k in blickets)) for k in range(9))
    said = (f"Belief([{right}]); Trial([]);", "Done.", "Belief([")
    if served:
        with serving("--suite", "est", "--machine", "ivre") as (url, _):
            trainer = trained(remote(url), row, said, tmp_path)
            rewards = [each.get_reward() for each in trainer.environments]
    else:
        trainer = trained(environment("est", **CHOICES), row, said, tmp_path)
        rewards = [each.get_reward() for each in trainer.environments]
    assert rewards == [1.0, 0.0, 0.0]
    (logged,) = (each for each in trainer.state.log_history if "reward" in each)
    assert logged["reward"] == pytest.approx(1 / 3)
    assert logged["tools/call_frequency"] == pytest.approx(2 / 3)
    assert logged["tools/failure_frequency"] == 0
