"""Descriptions of the tables of baselines and their columns."""

from typing import Literal, NamedTuple

Kind = Literal["integer", "float", "string", "boolean"]


class Column(NamedTuple):
    """A column: name, kind of values, unit ("-" for none), meaning."""

    name: str
    kind: Kind
    unit: str
    meaning: str


class TableDescription(NamedTuple):
    """A table: its contents in a phrase, the source of its counts, and its columns in order."""

    about: str
    source: str
    columns: tuple[Column, ...]


CHILDREN = "Voudouris et al. 2022, Frontiers in Psychology 13:711821; data published with arXiv 2312.11414"
COMPETITION = (
    "Crosby et al. 2020, PMLR 123:164-176; data published with Burnell et al. 2022 (Not a Number, IJCAI)"
)
AGENTS = "arXiv 2312.11414 (Animal-AI 3), one episode per task"
MODELS = "arXiv 2410.23242 (LLM-AAI), supporting materials"

_LEVEL = Column("level", "integer", "-", "level of the battery, 1 to 10")
_TASK = Column("task_id", "string", "-", "task, as LL-TT-VV: level, task, variant")
_MARK = Column("pass_mark", "float", "reward", "total reward that passes the task")
_SCORE = Column("score", "float", "reward", "total reward of the episode")
_PASSED = Column("passed", "boolean", "-", "whether the total reward reached the pass mark of 2019")
_TEAM = (
    Column("team", "string", "-", "name in the competition"),
    Column("rank", "integer", "-", "rank over all 900 tasks, 1 is best"),
    Column(
        "top_ten",
        "boolean",
        "-",
        "one of the ten best distinct results (Psidon, a duplicate of Oltau.ai, excluded)",
    ),
)
_TASKS = Column("tasks", "integer", "tasks", "number of tasks, each done once")
_TRIALS = Column("trials", "integer", "trials", "number of attempts")
_PASSES = Column("passes", "integer", "trials", "number of attempts that passed")
_RATE = Column("pass_rate", "float", "share 0-1", "share of attempts that passed")
_QUARTILES = (
    Column("quartile_1", "float", "share 0-1", "first quartile of the individual pass rates"),
    Column("median", "float", "share 0-1", "median of the individual pass rates"),
    Column("quartile_3", "float", "share 0-1", "third quartile of the individual pass rates"),
)
_AGENT = (
    Column("agent", "string", "-", "name in the paper"),
    Column(
        "paper_version",
        "integer",
        "year",
        "version of the paper, 2023 or 2024; their results differ considerably",
    ),
    Column("run", "string", "-", "run, seed, or number of training steps"),
)
_CHILDREN = Column("children", "integer", "children", "number of children")

TABLE_DESCRIPTIONS: dict[str, TableDescription] = {
    "children_by_level": TableDescription(
        "59 children on four tasks a level, with the spread over children",
        CHILDREN,
        (
            *(_LEVEL, _CHILDREN, _TRIALS, _PASSES),
            Column("sd", "float", "share 0-1", "standard deviation of the children's pass rates"),
            *_QUARTILES,
            _RATE,
        ),
    ),
    "children_by_task": TableDescription(
        "59 children on each of the 40 tasks",
        CHILDREN,
        (
            *(_TASK, _LEVEL, _MARK, _CHILDREN, _PASSES),
            Column("mean_score", "float", "reward", "mean total reward over children"),
            Column("sd_score", "float", "reward", "standard deviation of the total reward over children"),
            _RATE,
            Column("low", "float", "share 0-1", "lower end of Wilson's 95 % interval over children"),
            Column("high", "float", "share 0-1", "upper end of the interval"),
        ),
    ),
    "children_passed_of_level": TableDescription(
        "number of children who passed 0 to 4 of a level's four tasks",
        CHILDREN,
        (
            _LEVEL,
            Column("passed", "integer", "tasks", "tasks passed, of the level's four"),
            Column("children", "integer", "children", "number of children with exactly this result"),
        ),
    ),
    "children_passed_of_40": TableDescription(
        "number of children who passed 0 to 40 of the 40 tasks",
        CHILDREN,
        (
            Column("passed", "integer", "tasks", "tasks passed, of 40"),
            Column("children", "integer", "children", "number of children with exactly this result"),
        ),
    ),
    "competition": TableDescription(
        "the 68 teams of 2019: tasks passed, of all 900 and of the 40 that children did",
        COMPETITION,
        (
            *_TEAM,
            Column("passes_900", "integer", "tasks", "tasks passed, of 900"),
            Column("pass_rate_900", "float", "share 0-1", "the same as a share"),
            Column("passes_40", "integer", "tasks", "tasks passed, of the children's 40"),
            Column("pass_rate_40", "float", "share 0-1", "the same as a share"),
        ),
    ),
    "competition_by_level": TableDescription(
        "the 68 teams of 2019 by level, on the children's 40 tasks (or on all 900)",
        COMPETITION,
        (*_TEAM, _LEVEL, _TASKS, _PASSES, _RATE),
    ),
    "competition_by_task": TableDescription(
        "the 68 teams of 2019 on each of the 40 tasks", COMPETITION, (*_TEAM, _TASK, _LEVEL, _SCORE, _PASSED)
    ),
    "top_ten_by_level": TableDescription(
        "the ten best teams of 2019 by level, on the children's 40 tasks (or on all 900)",
        COMPETITION,
        (
            _LEVEL,
            Column("teams", "integer", "teams", "number of teams"),
            *(_TASKS, Column("passes", "integer", "trials", "number of tasks passed, summed over the teams")),
            Column("pass_rate", "float", "share 0-1", "mean of the teams' pass rates"),
            *_QUARTILES,
            Column("best", "float", "share 0-1", "highest pass rate of a team"),
        ),
    ),
    "agents_by_level": TableDescription(
        "random, heuristic, PPO and Dreamer-v3 agents, on the children's 40 tasks (or on all 900)",
        AGENTS,
        (*_AGENT, _LEVEL, _TASKS, _PASSES, _RATE),
    ),
    "agents_by_task": TableDescription(
        "the same agents on each of the 40 tasks (some runs lack some of the tasks)",
        AGENTS,
        (*_AGENT, _TASK, _LEVEL, _SCORE, _PASSED),
    ),
    "language_models_by_task": TableDescription(
        "published results of language models, if given as exact counts: GPT-4o on 12 tasks of levels 1-3",
        MODELS,
        (
            Column("model", "string", "-", "name in the paper"),
            Column("checkpoint", "string", "-", "name of the model version at the provider"),
            Column("experiment", "string", "-", "experiment of the paper"),
            Column("condition", "string", "-", "condition within the experiment"),
            *(_TASK, _LEVEL, _TRIALS, _PASSES, _RATE),
        ),
    ),
}
"""Every table of baselines, by the name of the function in `human_data.baselines` that returns it."""

KNOWN_ERROR = (
    "The published figure of the Animal-AI 3 paper (arXiv 2312.11414) shows wrong pass rates of children: "
    "its script mixes pass flags and scores under one task name and compares both with the pass mark, which "
    "gives 0.600 overall instead of 0.559 (1320 of 2360), and is off by up to 0.41 on a level. Here only the "
    "pass flags are counted, which agree with score >= pass mark in every recorded attempt."
)
"""A known error in a published figure, and how this project avoids it."""
