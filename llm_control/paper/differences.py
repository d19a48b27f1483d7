"""Differences between a run and the paper, for `--show`, reports and documentation. Sources on the paper: its
text (arXiv 2410.23242), its program (LLM-AAI) and its supporting material."""

from collections.abc import Callable, Iterator
from string import Template
from typing import Any, NamedTuple

from arena.errors import ArenaError
from arena.packages import data_of
from evaluation.choices.run_choices import shown
from evaluation.prompts import PromptSet
from llm_control.choices import ArenaChoices
from llm_control.paper import PAPER
from llm_control.prompts import arena_prompts
from testbed import CHILDREN

Ours = Callable[[ArenaChoices, PromptSet], str]


class Difference(NamedTuple):
    """Point of comparison: name, paper's value, and run's value; empty if equal."""

    topic: str
    paper: str
    ours: Ours


def differences(choices: ArenaChoices, prompts: PromptSet) -> Iterator[tuple[str, str, str]]:
    """Yield a run's differences, as (topic, run's value, paper's value)."""
    for point in LIST:
        if ours := point.ours(choices, prompts):
            yield point.topic, ours, point.paper


def differences_sentence(choices: ArenaChoices, prompts: PromptSet) -> str:
    """Summarise the differences in one sentence."""
    found = (f"{topic}: {ours} [paper: {paper}]" for topic, ours, paper in differences(choices, prompts))
    return f"Differences from {PAPER}: {'; '.join(found)}."


def in_short(choices: ArenaChoices, prompts: PromptSet) -> str:
    """Summarise the prompt's source, the parsing, and the number of trials."""
    prompt = f"the texts of {prompts.layout.source}" if prompts.layout.source else "arena-llm's own prompt"
    trials = "one trial" if choices.trials == 1 else f"{choices.trials} trials"
    return f"{prompt}, {'strict' if choices.strict else 'tolerant'} parsing, {trials}"


def _choice(topic: str, field: str, paper: Any, said: str = "", ours: str = "{}") -> Difference:
    """Make a point of one choice. `said` is the paper's value in words. `ours` formats the run's value."""

    theirs = tuple(paper) if isinstance(paper, list) else paper

    def differs(choices: ArenaChoices, prompts: PromptSet) -> str:
        value = getattr(choices, field)
        return "" if value == theirs else ours.format(shown(value))

    return Difference(topic, said or shown(theirs), differs)


def _texts(choices: ArenaChoices, prompts: PromptSet) -> str:
    own = arena_prompts()
    source = prompts.layout.source
    if not source.startswith(PAPER):
        if source:
            return f"those of {source}"
        changed = ", ".join(name for name, prompt in own.prompts.items() if prompts[name] != prompt)
        return "arena-llm's own" + (f", except for the user's {changed}" if changed else "")
    parts = ["as printed in the supporting material"] if "print" in source else []
    if prompts["invalid_script"] == own["invalid_script"]:
        parts.append("after a wrong reply arena-llm's own")
    if choices.demonstration and prompts["demonstration_intro"] == own["demonstration_intro"]:
        parts.append("before the demonstration arena-llm's own")
    return "; ".join(parts)


def _roles(choices: ArenaChoices, prompts: PromptSet) -> str:
    return "" if prompts.layout.roles == "user" else "the texts before it are a system message"


def stated(prompts: PromptSet) -> tuple[str, ...]:
    """List the facts stated after a reply."""
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


def _one_step(choices: ArenaChoices, prompts: PromptSet) -> str:
    return "Go(1) or Turn(6) and their opposites" if choices.one_step and choices.commands == "script" else ""


def _loop(choices: ArenaChoices, prompts: PromptSet) -> str:
    expected = (50, "repeat") if choices.commands == "moves" else (None, choices.after_loop)
    if (choices.loop_turns, choices.after_loop) == expected:
        return ""
    return f"{shown(choices.loop_turns)} turns end the model's part, then {choices.after_loop}"


def _size(choices: ArenaChoices, prompts: PromptSet) -> str:
    size = 500 if choices.commands == "moves" else 512
    return "" if choices.image_size == size else f"{choices.image_size}"


def _trials(choices: ArenaChoices, prompts: PromptSet) -> str:
    return "" if choices.trials == (1 if choices.commands == "moves" else 3) else f"{choices.trials}"


def _replies(choices: ArenaChoices, prompts: PromptSet) -> str:
    most = 150 if choices.commands == "moves" else 30
    return "" if choices.max_scripts == most else shown(choices.max_scripts)


_RULES = (
    *(_texts, _roles, _stated, _first_health, _step_health, _demonstration, _tasks, _selection, _crash),
    *(_one_step, _loop, _size, _trials, _replies),
)
RULES: dict[str, Ours] = {rule.__name__[1:]: rule for rule in _RULES}
"""Rules for points without a single choice, by their name in `differences.yaml`."""


def _point(topic: str, paper: str = "", rule: str = "", ours: str = "{}", **known: Any) -> Difference:
    """Make a point of `differences.yaml`."""
    if "choice" in known:
        return _choice(topic, known["choice"], known["value"], paper, ours)
    return Difference(topic, paper, RULES[rule] if rule else lambda choices, prompts: ours)


LIST = tuple(_point(**point) for point in data_of(__package__, "differences.yaml"))
"""All points, those of the texts first."""
