"""In what a run differs from the paper: the one list for `--show`, for reports and for the documentation.

Sources of what the paper did: its text (arXiv 2410.23242), its program (LLM-AAI) and its supporting material.
"""

from collections.abc import Callable, Iterator
from string import Template
from typing import Any, NamedTuple

from arena.errors import ArenaError
from evaluation.choices.run_choices import shown
from evaluation.prompts import PromptSet
from llm_control.choices import ArenaChoices
from llm_control.paper import PAPER
from llm_control.prompts import arena_prompts
from testbed import CHILDREN

Ours = Callable[[ArenaChoices, PromptSet], str]


class Difference(NamedTuple):
    """One point: its name, what the paper did, and what a run does; empty if it is the same."""

    topic: str
    paper: str
    ours: Ours


def differences(choices: ArenaChoices, prompts: PromptSet) -> Iterator[tuple[str, str, str]]:
    """The points in which a run differs, as (topic, what the run does, what the paper did)."""
    for point in LIST:
        if ours := point.ours(choices, prompts):
            yield point.topic, ours, point.paper


def differences_sentence(choices: ArenaChoices, prompts: PromptSet) -> str:
    """The same as one sentence."""
    found = (f"{topic}: {ours} [paper: {paper}]" for topic, ours, paper in differences(choices, prompts))
    return f"Differences from {PAPER}: {'; '.join(found)}."


def in_short(choices: ArenaChoices, prompts: PromptSet) -> str:
    """Whose prompt, which parsing, how many trials."""
    prompt = f"the texts of {prompts.layout.source}" if prompts.layout.source else "arena-llm's own prompt"
    trials = "one trial" if choices.trials == 1 else f"{choices.trials} trials"
    return f"{prompt}, {'strict' if choices.strict else 'tolerant'} parsing, {trials}"


def _choice(topic: str, field: str, paper: Any, said: str = "", ours: str = "{}") -> Difference:
    """A point that one choice decides; `said` is the paper's value in words, `ours` takes the run's."""

    def differs(choices: ArenaChoices, prompts: PromptSet) -> str:
        value = getattr(choices, field)
        return "" if value == paper else ours.format(shown(value))

    return Difference(topic, said or shown(paper), differs)


def _always(topic: str, paper: str, ours: str) -> Difference:
    return Difference(topic, paper, lambda choices, prompts: ours)


def _texts(choices: ArenaChoices, prompts: PromptSet) -> str:
    own = arena_prompts()
    source = prompts.layout.source
    if not source.startswith(PAPER):
        if source:
            return f"those of {source}"
        changed = ", ".join(name for name, prompt in own.prompts.items() if prompts[name] != prompt)
        return "arena-llm's own" + (f", but for the user's {changed}" if changed else "")
    parts = ["as printed in the supporting material"] if "print" in source else []
    if prompts["invalid_script"] == own["invalid_script"]:
        parts.append("after a wrong reply arena-llm's own")
    if choices.demonstration and prompts["demonstration_intro"] == own["demonstration_intro"]:
        parts.append("before the demonstration arena-llm's own")
    return "; ".join(parts)


def _roles(choices: ArenaChoices, prompts: PromptSet) -> str:
    return "" if prompts.layout.roles == "user" else "the texts before it are a system message"


def stated(prompts: PromptSet) -> tuple[str, ...]:
    """What the messages after a reply state, in words."""
    words = {
        "health": "health",
        "reward": "reward",
        "scripts_left": "scripts left",
        "feedback": "what is wrong with a reply",
    }
    texts = [prompts[name].text for name in ("turn", "invalid_script")]
    used = {name.removeprefix("step_") for text in texts for name in Template(text).get_identifiers()}
    return tuple(word for name, word in words.items() if name in used)


def _stated(choices: ArenaChoices, prompts: PromptSet) -> str:
    found = stated(prompts)
    return "" if found == ("health",) else ", ".join(found) or "nothing"


def _first_health(choices: ArenaChoices, prompts: PromptSet) -> str:
    return "" if "first_health" in prompts["first_turn"].text else "that before the first script"


def _step_health(choices: ArenaChoices, prompts: PromptSet) -> str:
    return "" if "step_health" in prompts["turn"].text else "the present one"


def _demonstration(choices: ArenaChoices, prompts: PromptSet) -> str:
    if not choices.demonstration:
        return ""
    if choices.demonstration is True:
        return "arena-llm's own (6 scripts, 8 pictures)"
    from llm_control.demonstration import chosen_demonstration

    try:
        source = chosen_demonstration(choices).source
    except ArenaError:
        source = ""
    return "" if source == PAPER else f"that of {source or choices.demonstration}"


def _tasks(choices: ArenaChoices, prompts: PromptSet) -> str:
    return {
        "llm-aai": "",
        "original": "files of the 2019 battery, of which 04-22-01 has a beam of 0.1 m and cannot be passed",
        "published": "files of the 2019 battery, or LLM-AAI's copy",
    }.get(choices.battery, "arena-llm's battery, or the user's folder")


def _selection(choices: ArenaChoices, prompts: PromptSet) -> str:
    twelve = bool(choices.demonstration) or choices.commands == "moves"
    if choices.tasks == (CHILDREN[:12] if twelve else CHILDREN):
        return ""
    if choices.tasks is not None:
        return f"{len(choices.tasks)} that the run names"
    return f"all of levels {choices.levels}" if choices.levels else "all"


def _crash(choices: ArenaChoices, prompts: PromptSet) -> str:
    return "" if choices.commands == "moves" else "a wrong reply: one idle step, and the episode goes on"


def _one(choices: ArenaChoices, prompts: PromptSet) -> str:
    return "Go(1) or Turn(6) and their opposites" if choices.one_step and choices.commands == "script" else ""


def _loop(choices: ArenaChoices, prompts: PromptSet) -> str:
    expected = (50, "repeat") if choices.commands == "moves" else (None, choices.after_loop)
    if (choices.loop_turns, choices.after_loop) == expected:
        return ""
    return f"{shown(choices.loop_turns)} turns end the model's part, then {choices.after_loop}"


LIST: tuple[Difference, ...] = (
    Difference("texts", "those of its Appendix B", _texts),
    Difference("first message", "one message of the user, pictures included", _roles),
    Difference("stated after a reply", "health", _stated),
    Difference("health at the start", "that at the first picture, 48 steps old", _first_health),
    Difference("health after a first reply without a step", "still that at the first picture", _step_health),
    Difference("demonstration, if any", "42 scripts and 44 pictures", _demonstration),
    Difference("tasks", "LLM-AAI's copy of the 2019 battery, in 04-22-01 with a beam of 0.2 m", _tasks),
    Difference(
        "selection of tasks",
        "the 40 that children did (with a demonstration, and frame by frame, the 12 of levels 1-3)",
        _selection,
    ),
    _choice("version of Animal-AI", "animal_ai", "3.1.3"),
    _choice("conversation", "conversation", "episode", "one per episode", "one over all tasks"),
    _choice("memory", "memory_turns", None, "all turns", "{} turns"),
    _choice("characters of memory", "memory_characters", None, "those of all turns"),
    _choice("idle steps before the first script", "initial_idle_steps", (1, 16, 16, 16)),
    _choice("replies", "replies", "text"),
    _choice("parsing", "strict", True, "strict", "obvious slips are repaired (tolerant)"),
    Difference("`Go(--5);` and `Turn(--5);`", "an exception that ends the episode there", _crash),
    _choice("observation", "observation", "image", "pictures"),
    _choice("pictures sent each time", "images", "all"),
    _choice("pictures per script", "images_per_script", 1),
    _choice("steps between pictures", "image_every", None, "a whole script"),
    _choice("control of vision", "vision", "true", "none"),
    _choice("shades of grey", "grayscale", False),
    _choice("blur in pixels", "blur_px", 0.0, "0"),
    _choice("distinct pixels a side", "resolution", None, "all"),
    Difference(
        "size of pictures",
        "512 pixels a side (frame by frame 500)",
        lambda c, p: "" if c.image_size == (500 if c.commands == "moves" else 512) else f"{c.image_size}",
    ),
    _choice("white columns at each side", "image_gutter", 2),
    _choice("format of pictures", "image_format", "jpeg", "JPEG, quality 75"),
    _choice("detail of pictures (OpenAI)", "image_detail", "high"),
    _choice("temperature", "temperature", 0.0, "0"),
    _choice("maximum tokens of a reply", "max_tokens", 1024, ours="{}"),
    _choice("stop sequences", "stop", ("<EOS>",)),
    _choice("reasoning effort", "reasoning_effort", None, "not sent"),
    _choice("reasoning tokens", "reasoning_tokens", None, "not sent"),
    _choice("characters of Think", "thought_chars", None, "any number"),
    Difference(
        "trials",
        "3 (frame by frame 1)",
        lambda c, p: "" if c.trials == (1 if c.commands == "moves" else 3) else f"{c.trials}",
    ),
    Difference(
        "replies per episode",
        "at most 30 (frame by frame 150)",
        lambda c, p: "" if c.max_scripts == (150 if c.commands == "moves" else 30) else shown(c.max_scripts),
    ),
    Difference("one step per reply", "no (frame by frame: Forward, Backward, Left or Right)", _one),
    Difference("after a loop", "no rule (frame by frame: repeated after 50 turns)", _loop),
    _always(
        "replies cut off by the token limit",
        "played as they are",
        "not played: the episode ends without a verdict and counts as failed",
    ),
    _always(
        "failed requests",
        "up to three retries by the paper's text, one by its program, then the trial again",
        "retries and relaunches as chosen, every one logged",
    ),
    _always(
        "temperature of Claude and of OpenAI's reasoning models",
        "0 (Claude; no reasoning model was asked)",
        "not sent, whatever is chosen: Inspect AI leaves it out",
    ),
    _always("safety settings (Gemini)", "not sent", "five categories as BLOCK_NONE, sent by Inspect AI"),
    _always("further fields of requests (Claude)", "none", "cache_control and no tools, by Inspect AI"),
    _always("arena", "Unity and PhysX", "re-created from measurements"),
    _always("pictures", "drawn by Unity", "drawn by arena-llm's own renderer"),
    _choice("random places and colours", "chance", "unity", "Unity's generator", "{}"),
    _always(
        "models",
        "gpt-4o-2024-05-13 (Azure), claude-3-5-sonnet-20240620, gemini-1.5-pro-001",
        "whichever is asked, through Inspect AI",
    ),
)
"""Every point, those of the texts first."""
