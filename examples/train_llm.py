"""Make a tiny language model from nothing, fit it to transcripts, and improve it by reward, in EST.

    python examples/train_llm.py --seed 1 --save models/tiny

Nothing is downloaded: the tokenizer is made from the suite's own texts. The model is fitted to episodes of a
reference agent (`SFTTrainer` of TRL), then plays episodes itself and is improved by their reward
(`GRPOTrainer` with an environment of the suite). After each step it plays unseen episodes, drawing its tokens
as in training. `--save` keeps model and tokenizer for `arena-llm eval --suite est --model hf/PATH`, and what
was measured as `result.json` and `result.png`. Needs `pip install 'arena-llm[train]'`.
"""

import json
import os
import re
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from datasets import Dataset
from matplotlib.figure import Figure
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

from arena_llm.training import environment, prompts
from evaluation.opened import Opened
from evaluation.statistics import mean_half
from evaluation.transcript import transcript

AGENT, CHOICES = "naive", {"machine": "ivre", "replies": "text"}
"""The reference agent, and how the suite is played."""

STEPS = ("before", "after the fit", "after GRPO")
"""When the model plays unseen episodes."""

SPECIAL = ("<|pad|>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>", "<|unknown|>")

TEMPLATE = """\
{%- for m in messages -%}
{%- if m.role != 'assistant' -%}
{{- '<|system|>' if m.role == 'system' else '<|user|>' }}{{ m.content }}<|end|>
{%- else -%}
<|assistant|>{% generation %}{{ m.content }}
{%- for call in m.tool_calls or [] -%}
{%- if call.function.name == 'act' -%}{{ call.function.arguments.reply }}
{%- else -%}{{ call.function.name }}{{ call.function.arguments | tojson }}{%- endif -%}
{%- endfor -%}<|end|>{% endgeneration %}
{%- endif -%}
{%- endfor -%}
{{- '<|assistant|>' if add_generation_prompt }}"""
"""A reply is a call of `act`, and the result a message of the user, as in an evaluation by texts."""

ACT = {"type": "function", "function": {"name": "act", "arguments": {"reply": "{reply}"}}}
CALL = r"(?P<reply>Belief[^<]+)"
RESPONSE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>",
    "fields": {
        "tool_calls": {"open_pattern": CALL, "close": "<|end|>", "repeats": True, "transform": ACT},
        "content": {"close": "<|end|>"},
    },
}
"""How TRL finds the call in what the model writes."""

FACTS = r"\d(?= \(|: )|: [01](?:\.\d\d)?(?:, )?(?=\d: |\])|\b(?:lit|dark)\b|(?<=Trial\(\[)\d|-\d+\.\d+"
"""What an episode says: numbers of objects, beliefs in them, the light, a trial, a reward."""

TRAINS: dict[str, Any] = {
    "report_to": [],
    "save_strategy": "no",
    "logging_steps": 10,
    "disable_tqdm": True,
    "use_cpu": True,
    "bf16": False,
    "gradient_checkpointing": False,
}


def conversations(number: int) -> Dataset:
    """Episodes of the reference agent to train on; at their end there is nothing more to say."""
    opened, rows = Opened.named("est", **CHOICES), []
    for each in islice(opened.episodes("train"), number):
        messages = transcript(opened.setup(*each), AGENT).messages
        texts = [labelled(m.text) if m.role == "assistant" else m.text for m in messages]
        talk = [{"role": str(m.role), "content": text} for m, text in zip(messages, texts, strict=True)]
        rows.append({"messages": [*talk, {"role": "assistant", "content": "Done."}]})
    return Dataset.from_list(rows)


def labelled(reply: str) -> str:
    """A reply with the numbers of objects and a coarser scale: `Belief([1: 0.45, 2: 1, ...]); ...`.

    The suite reads both. So small a model finds an object again by its number only, and learns few numbers
    sooner. Probabilities stay on their side of 0.5, which itself becomes 0.55.
    """
    head, probabilities, tail = re.split(r"(?<=Belief\(\[)(.*?)(?=\])", reply, maxsplit=1)
    beliefs = (f"{k}: {coarse(float(p))}" for k, p in enumerate(probabilities.split(", "), start=1))
    return head + ", ".join(beliefs) + tail


def coarse(probability: float) -> str:
    """The middle of the tenth in which a probability is; what is certain stays so."""
    if probability in (0, 1):
        return f"{probability:.0f}"
    return f"{int(probability * 10 + 1e-9) / 10 + 0.05:.2f}"


def tokenizer_of(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """A tokenizer made from texts: each of `FACTS` is a token, and so is every text between them."""
    pad, *_, end, unknown = SPECIAL
    made = Tokenizer(models.WordLevel(unk_token=unknown))
    made.pre_tokenizer, made.decoder = pre_tokenizers.Split(Regex(FACTS), "isolated"), decoders.Fuse()
    made.train_from_iterator(texts, trainers.WordLevelTrainer(special_tokens=[*SPECIAL], show_progress=False))
    named = {"pad_token": pad, "eos_token": end, "unk_token": unknown, "padding_side": "left"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, **named)
    tokenizer.chat_template, tokenizer.response_template = TEMPLATE, RESPONSE
    return tokenizer


def model_of(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """A transformer with random weights."""
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=512,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return LlamaForCausalLM(config)


@torch.no_grad()
def rewards(model: Any, tokenizer: PreTrainedTokenizerFast, made: Any, rows: Dataset) -> np.ndarray:
    """(rows,): the reward of an episode of each row, played side by side."""
    model.eval()
    played = [made() for _ in rows]
    talks = [
        [*row["prompt"][:-1], {"role": "user", "content": one.reset(**row)}]
        for one, row in zip(played, rows, strict=True)
    ]
    while playing := [k for k, one in enumerate(played) if not one.done]:
        tokens = tokenizer.apply_chat_template(
            [talks[k] for k in playing],
            add_generation_prompt=True,
            padding=True,
            return_tensors="pt",
            return_dict=True,
        )
        written = model.generate(**tokens, max_new_tokens=40, do_sample=True, top_k=0)
        replies = tokenizer.batch_decode(written[:, tokens["input_ids"].shape[1] :], skip_special_tokens=True)
        for k, reply in zip(playing, replies, strict=True):
            shown = {"role": "user", "content": played[k].act(reply)}
            talks[k] += [{"role": "assistant", "content": reply}, shown]
    return np.array([one.get_reward() for one in played])


def fit(model: Any, tokenizer: PreTrainedTokenizerFast, rows: Dataset, seed: int) -> None:
    """Fit the model to the replies of transcripts."""
    config = SFTConfig(
        num_train_epochs=1,
        per_device_train_batch_size=16,
        learning_rate=3e-3,
        lr_scheduler_type="polynomial",
        lr_scheduler_kwargs={"power": 0.5},
        warmup_steps=50,
        assistant_only_loss=True,
        max_length=2048,
        seed=seed,
        **TRAINS,
    )
    SFTTrainer(model, args=config, train_dataset=rows, processing_class=tokenizer).train()


def improve(
    model: Any, tokenizer: PreTrainedTokenizerFast, made: Any, rows: Dataset, updates: int, seed: int
) -> None:
    """Improve the model by the reward of its own episodes: 8 of each of 8 tasks in an update."""
    config = GRPOConfig(
        max_steps=updates,
        per_device_train_batch_size=64,
        num_generations=8,
        learning_rate=8e-5,
        scale_rewards="batch",
        lr_scheduler_type="constant",
        max_completion_length=600,
        max_tool_calling_iterations=10,
        top_k=0,
        seed=seed,
        **TRAINS,
    )
    given = {"environment_factory": made, "processing_class": tokenizer}
    GRPOTrainer(model, args=config, train_dataset=rows, **given).train()


def plot(result: dict[str, Any], path: Path) -> None:
    """Draw the rewards of a run with their 95 % intervals."""
    figure = Figure(figsize=(4, 2.6), layout="constrained")
    axes = figure.subplots()
    means, halves = zip(*((result[name]["mean"], result[name]["half"]) for name in STEPS), strict=True)
    axes.errorbar(STEPS, means, yerr=halves, fmt="o", capsize=4)
    axes.set(
        ylabel="reward, unseen episodes", title=f"seed {result['seed']}", xlim=(-0.4, 2.4), ylim=(-0.03, 1)
    )
    figure.savefig(path, dpi=120)


def main(
    transcripts: Annotated[int, typer.Option(help="Episodes of the agent.")] = 14_000,
    updates: Annotated[int, typer.Option(help="Updates by reward, of 64 episodes each.")] = 120,
    unseen: Annotated[int, typer.Option(help="Unseen episodes after each step.")] = 200,
    threads: Annotated[int, typer.Option(help="Threads of torch; 2 on two free cores.")] = 2,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 1,
    save: Annotated[Path | None, typer.Option(help="Folder for model, tokenizer and result.json.")] = None,
) -> None:
    """Make, fit and improve a language model in EST."""
    began = time.monotonic()
    set_seed(seed)
    torch.set_num_threads(threads)
    made = environment("est", **CHOICES)
    episodes = conversations(transcripts)
    some = episodes.select(range(min(600, transcripts)))
    tokenizer = tokenizer_of(m["content"] for row in some for m in row["messages"])
    model = model_of(tokenizer)
    print(f"{model.num_parameters():,} parameters, {len(tokenizer):,} tokens", flush=True)
    rows = prompts("est", split="test", size=unseen, **CHOICES)
    result: dict[str, Any] = {"seed": seed}

    def measure(name: str) -> None:
        found = rewards(model, tokenizer, made, rows)
        mean, half, minutes = found.mean(), mean_half(found), (time.monotonic() - began) / 60
        result[name] = {"mean": mean, "half": half, "rewards": found.tolist(), "minutes": minutes}
        interval = f"{mean:.3f} [{mean - half:.3f}, {mean + half:.3f}]"
        spent = f"{minutes:.1f} minutes, {time.process_time() / 60:.1f} of CPU, load {os.getloadavg()[0]:.1f}"
        print(f"{name}: reward {interval} on {len(found)} unseen episodes; {spent}", flush=True)

    before, fitted, improved = STEPS
    measure(before)
    fit(model, tokenizer, episodes, seed)
    measure(fitted)
    improve(model, tokenizer, made, prompts("est", size=64 * updates, **CHOICES), updates, seed)
    measure(improved)
    gain = np.subtract(result[improved]["rewards"], result[fitted]["rewards"])
    result["gain"] = {"mean": gain.mean(), "half": mean_half(gain)}
    print(f"gain by GRPO: {gain.mean():.3f} +- {mean_half(gain):.3f} on the same episodes")
    if save is not None:
        model.save_pretrained(save)
        tokenizer.save_pretrained(save)
        (save / "result.json").write_text(json.dumps(result, indent=1))
        plot(result, save / "result.png")


if __name__ == "__main__":
    typer.run(main)
