"""Every generated block by the name that pages use: `<!-- generated: NAME -->`.

The tables of the YAML keys are made from `arena.taskfile.config`.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from arena.packages import data_of
from arena.taskfile import config
from arena.taskfile.symbols import PRESETS
from benchmarks import results
from docs._generate import Rows, code, kinds, number, plain, reference, table, tabled
from evaluation.capabilities import prompts_of
from evaluation.choices.effective import effective, preset_names
from evaluation.choices.run_choices import shown
from evaluation.prompts import AGENT_VARIABLES, RUNNER, Layout, PromptSet, Variables
from evaluation.scale.references import BEST, FLOORS, Reference, references, scale_of
from evaluation.statistics import interquartile_mean
from evaluation.suites import get_suite, suite_names
from human_data import baselines
from llm_control.choices import ArenaChoices
from llm_control.paper.convert import SENT, Ingredients
from llm_control.paper.differences import LIST
from llm_control.prompts import OPTIONAL, VARIABLES
from llm_control.suite import SUITE

KEY_MEANINGS: Mapping[str, Mapping[str, str]] = data_of("docs._generate", "meanings.yaml")
"""A sentence for each key, by tag and field."""

SHOWN = data_of("docs._generate", "shown.yaml")

_WORDS = {"number": "number", "integer": "whole number", "string": "text", "boolean": "yes or no"}


def operations_section() -> str:
    """Every operation with its keys."""
    parts = []
    for tag in config.OPERATIONS:
        parts.append(f"### !{tag}\n\n{(config.MODELS[tag].__doc__ or '').strip()}")
        if config.KEYS[tag]:
            parts.append(keys_table(tag))
    return "\n\n".join(parts)


def spellings(tag: str) -> dict[str, list[str]]:
    """The keys that set each field, the newest last."""
    named: dict[str, list[str]] = {}
    for key, field in config.KEYS[tag].items():
        named.setdefault(field, []).append(key)
    return named


@tabled("key", "value", "version", "meaning")
def keys_table(tag: str) -> Iterator[tuple[str, ...]]:
    """Every key of a tag: type, range, default, version and meaning."""
    schema = config.MODELS[tag].model_json_schema()
    schema = schema if "properties" in schema else schema["$defs"][config.MODELS[tag].__name__]
    for field, keys in spellings(tag).items():
        declared = _simple(schema["properties"][field])
        since = "4" if keys[-1] in config.SINCE_4 or tag in config.OPERATIONS else "all"
        older = "".join(f" (older: {code(key)})" for key in keys[:-1])
        default = "required" if field in schema.get("required", ()) else _default(declared.get("default"))
        value = ", ".join(filter(None, (_type(field, declared), _range(declared), default)))
        yield code(keys[-1]) + older, value, since, KEY_MEANINGS[tag][field]


def _simple(declared: dict[str, Any]) -> dict[str, Any]:
    """A property's schema without the alternative null."""
    choices: list[dict[str, Any]] = [
        choice for choice in declared.get("anyOf", ()) if choice.get("type") != "null"
    ]
    if len(choices) != 1:
        return declared
    return {key: value for key, value in declared.items() if key != "anyOf"} | choices[0]


def _type(field: str, declared: dict[str, Any]) -> str:
    if field == "arenas":
        return "`!Arena` by number"
    if field == "question":
        return ", ".join(code(f"!{tag}") for tag in config.QUESTIONS)
    if field in config.OPERATION_FIELDS:
        return "list of operations" if field.endswith("s") else "operation"
    if field in config.VALUES:
        return code(f"!{config.VALUES[field]}")
    if field in config.ENTRIES:
        return f"list of `!{config.ENTRIES[field]}`"
    if declared.get("type") == "array":
        return f"list of {_WORDS[declared['items']['type']]}s"
    if "anyOf" in declared:
        return "text or number, or a list of these"
    return "word" if "enum" in declared else _WORDS[declared["type"]]


def _default(value: Any) -> str:
    """The value if the key is missing; nothing for a list that is then empty."""
    if value is None:
        return "default none"
    if isinstance(value, dict):
        return "default " + code("{" + ", ".join(f"{key}: {number(v)}" for key, v in value.items()) + "}")
    if isinstance(value, bool):
        return f"default {code(str(value).lower())}"
    if isinstance(value, list):
        return f"default {code(', '.join(value))}" if value else ""
    return f"default {code(value if isinstance(value, str) else number(value))}"


def _range(declared: dict[str, Any]) -> str:
    declared = declared.get("items", declared)
    if "enum" in declared:
        return " or ".join(map(code, declared["enum"]))
    if "minimum" not in declared:
        return ""
    low = number(declared["minimum"])
    return f"{low} to {declared['maximum']:.0f}" if "maximum" in declared else f"from {low}"


@tabled("picture", "kind", "what it is")
def gallery() -> Rows:
    """A table with the picture of every kind, and its name as a link to the facts."""
    for kind in kinds.public_kinds():
        link = f"[{code(kind.name)}](yaml.md#{kind.name.lower()})"
        yield f"![{kind.name}](pictures/{kind.name}.png)", link, kind.meaning


def example_suite() -> str:
    """The one example that is a suite, as it is in the source tree."""
    [file] = (Path(__file__).parents[2] / "examples").glob("*/*/suite.py")
    return f'```python title="{file.parent.name}/suite.py"\n{file.read_text(encoding="utf-8")}```'


@tabled("file", "variables")
def texts(names: Variables) -> Rows:
    """Every text by its name, with the variables that it may use."""
    for name, variables in names.items():
        yield code(f"{name}.md"), ", ".join(code(f"${v.partition(':')[0]}") for v in variables)


@tabled("key", "default", "meaning")
def layout() -> Rows:
    """The keys of `layout.yaml`."""
    for name, field in Layout.model_fields.items():
        yield code(name), code(shown(field.default)), plain(field.description or "")


@tabled("preset", "what it is", "what differs from the defaults")
def presets() -> Rows:
    """Every preset: its purpose, and the choices that it changes."""
    for name in preset_names(SUITE):
        given = effective(SUITE, name, {})
        defaults = ArenaChoices().model_dump()
        changed = {
            key: shown(value) for key, value in given.choices.model_dump().items() if value != defaults[key]
        }
        if "tasks" in changed:
            changed["tasks"] = f"{len(changed['tasks'].split(','))} ids"
        description = given.preset.description if given.preset else ""
        yield code(name), plain(description), ", ".join(code(f"{k}: {v}") for k, v in changed.items())


SAME = "the same"


@tabled("point", "paper", "default, with `--icl`", "`paper-experiment-1` with the paper's texts")
def differences() -> Rows:
    """Each point: what the paper did, what is done by default, and with the preset and the paper's texts."""
    preset = effective(SUITE, "paper-experiment-1", {}).choices
    ours = prompts_of(SUITE)
    # The shipped texts with others in all places for which the paper's program has some.
    found = Ingredients("-", "-", "-", "$health", "-", "-", source=SENT).prompts()
    papers = PromptSet({**ours.prompts, **found.prompts}, found.layout)
    for point in LIST:
        default = point.ours(ArenaChoices(demonstration=True), ours)
        faithful = point.ours(preset, papers)
        yield plain(point.topic), plain(point.paper), plain(default or SAME), plain(faithful or SAME)


AGENTS = (*FLOORS, "random", BEST)


@tabled("suite", "group", *(f"`{agent}`" for agent in AGENTS), "episodes of `ideal`")
def references_of_suites() -> Rows:
    """A row for each group of each suite: the score of every reference agent, and the episodes of each."""
    for name in suite_names():
        scale = scale_of(get_suite(name))
        groups: dict[tuple[str, str], dict[str, Reference]] = {}
        for row in references(scale.table) if scale else ():
            groups.setdefault((row.conditions, row.group), {})[row.agent] = row
        for (_, group), own in groups.items():
            scores = (_score(own.get(agent)) for agent in AGENTS)
            yield name, group, *scores, str(own[BEST].episodes) if BEST in own else "-"


@tabled("who", "levels 1-3", "levels 4-6", "levels 7-10", "all")
def passes() -> Rows:
    """Return shares passed of the 40 tasks that children did, best first."""
    ours, papers = baselines.agents_on_both_batteries(), baselines.agents_by_level()
    ours, gpt = ours[ours["battery"] == "original"], baselines.language_models_by_task()
    groups = {
        "59 children": baselines.children_by_level(),
        "ten best teams of the 2019 competition": baselines.top_ten_by_level(),
        "GPT-4o, by scripts (arXiv 2410.23242)": gpt[gpt["experiment"] == "experiment_1"],
        **{title: papers[papers["agent"] == name] for name, title in SHOWN["published"].items()},
        **{title: ours[ours["agent"] == name] for name, title in SHOWN["programs"].items()},
    }
    rates = {who: 100 * rows.groupby("level")["pass_rate"].mean() for who, rows in groups.items()}
    for who, rate in sorted(rates.items(), key=lambda item: -item[1].mean()):
        parts = (rate.reindex(range(low, high + 1)) for low, high in ((1, 3), (4, 6), (7, 10), (1, 10)))
        yield who, *("-" if part.hasnans else f"{part.mean():.0f} %" for part in parts)


def _score(row: Reference | None) -> str:
    if row is None:
        return "-"
    return f"{row.score:.2f}" + (f" ± {row.half:.2f}" if row.half else "")


def learners() -> str:
    """A row for each learner: its interquartile mean, the mean score on each level, and the passes."""
    found = pd.read_csv(Path(__file__).parents[1] / "figures" / "learners.csv")
    levels = sorted(found["level"].unique())
    tasks = f"passed of {found['tasks'].iloc[: len(levels)].sum():,}"
    means = "interquartile mean", "with drawn actions"
    header = "learner", "million steps", "seeds", *means, *map(str, levels), tasks
    groups = found.groupby("learner", sort=False)
    return table(header, (_learner(str(name), rows, levels) for name, rows in groups))


def _two(score: float) -> str:
    return "-" if pd.isna(score) else f"{round(score, 2) + 0:.2f}"


def _learner(name: str, rows: pd.DataFrame, levels: list[int]) -> tuple[str, ...]:
    means, cells = list[str](), list[str]()
    for values in ("drawn_score", "score"):
        scores = rows.pivot(index="seed", columns="level", values=values).reindex(columns=levels).to_numpy()
        mean, low, high = interquartile_mean(scores)
        means.insert(0, f"{mean:.2f} [{low:.2f}, {high:.2f}]" if len(scores) > 1 else _two(mean))
        cells = [_two(score) for score in scores.mean(axis=0)]
    passes = f"{rows['passes'].sum() / len(scores):,.0f}"
    return name, number(rows["steps"].iloc[0] / 1e6), str(len(scores)), *means, *cells, passes


BLOCKS: dict[str, Callable[[], str]] = {
    "keys-of-file": partial(keys_table, "ArenaConfig"),
    "keys-of-arena": partial(keys_table, "Arena"),
    "keys-of-item": partial(keys_table, "Item"),
    **{f"keys-of-{tag.lower()}": partial(keys_table, tag) for tag in config.QUESTIONS},
    "keys-of-vector": partial(keys_table, "Vector3"),
    "keys-of-color": partial(keys_table, "RGB"),
    "operations": operations_section,
    "symbols": lambda: ", ".join(map(code, PRESETS)),
    "objects": kinds.objects_section,
    "changing": kinds.changing_table,
    "spawners": kinds.spawners_table,
    "versions": kinds.versions_table,
    "gallery": gallery,
    "presets": presets,
    "texts": partial(texts, {**RUNNER, **VARIABLES, **OPTIONAL}),
    "agent-texts": partial(texts, AGENT_VARIABLES),
    "layout": layout,
    "differences": differences,
    "example-suite": example_suite,
    "pages": reference.pages,
    "front-pages": reference.front_pages,
    "commands": reference.commands,
    "choices": reference.choices,
    "columns": reference.columns,
    "public": reference.public,
    "references": references_of_suites,
    "passes": passes,
    **{f"result-{part}": partial(results.page_of, part) for part in results.ABOUT},
    "figures": results.front_page,
    "learners": learners,
}
