"""What the columns of the tables of baselines mean."""

from typing import Literal, NamedTuple

Kind = Literal["integer", "float", "string", "boolean"]


class Column(NamedTuple):
    """A column: its name, the kind of its values, their unit (a dash where they have none), the meaning."""

    name: str
    kind: Kind
    unit: str
    meaning: str


class TableFacts(NamedTuple):
    """What a table holds, in a sentence, where its counts come from, and its columns in order."""

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
    Column("team", "string", "-", "name under which it entered"),
    Column("rank", "integer", "-", "place over all 900 tasks, 1 is best"),
    Column("top_ten", "boolean", "-", "one of the ten best distinct results (Psidon's, a twin, is left out)"),
)
_TASKS = Column("tasks", "integer", "tasks", "tasks that each did, once")
_TRIALS = Column("trials", "integer", "trials", "attempts counted")
_PASSES = Column("passes", "integer", "trials", "attempts that passed")
_RATE = Column("pass_rate", "float", "share 0-1", "attempts that passed, of all")
_QUARTILES = (
    Column("quartile_1", "float", "share 0-1", "first quartile of single shares passed"),
    Column("median", "float", "share 0-1", "median of single shares passed"),
    Column("quartile_3", "float", "share 0-1", "third quartile of single shares passed"),
)
_AGENT = (
    Column("agent", "string", "-", "name in the paper"),
    Column("paper_version", "integer", "year", "version of the paper: 2023 or 2024; they differ much"),
    Column("run", "string", "-", "run, seed, or steps of training"),
)
_CHILDREN = Column("children", "integer", "children", "how many did it")

FACTS: dict[str, TableFacts] = {
    "children_by_level": TableFacts(
        "59 children on four tasks a level, with the spread over children",
        CHILDREN,
        (
            *(_LEVEL, _CHILDREN, _TRIALS, _PASSES),
            Column("sd", "float", "share 0-1", "standard deviation over children of the share passed"),
            *_QUARTILES,
            _RATE,
        ),
    ),
    "children_by_task": TableFacts(
        "59 children on each of the 40 tasks",
        CHILDREN,
        (
            *(_TASK, _LEVEL, _MARK, _CHILDREN, _PASSES),
            Column("mean_score", "float", "reward", "mean total reward over children"),
            Column("sd_score", "float", "reward", "standard deviation of it over children"),
            _RATE,
            Column("low", "float", "share 0-1", "lower end of Wilson's 95 % interval over children"),
            Column("high", "float", "share 0-1", "upper end of it"),
        ),
    ),
    "children_passed_of_level": TableFacts(
        "how many children passed 0 to 4 of a level's four tasks",
        CHILDREN,
        (
            _LEVEL,
            Column("passed", "integer", "tasks", "tasks passed, of the level's four"),
            Column("children", "integer", "children", "how many passed just so many"),
        ),
    ),
    "children_passed_of_40": TableFacts(
        "how many children passed 0 to 40 of the 40 tasks",
        CHILDREN,
        (
            Column("passed", "integer", "tasks", "tasks passed, of 40"),
            Column("children", "integer", "children", "how many passed just so many"),
        ),
    ),
    "competition": TableFacts(
        "the 68 teams of 2019: passes of all 900 tasks and of the 40 that children did",
        COMPETITION,
        (
            *_TEAM,
            Column("passes_900", "integer", "tasks", "tasks passed, of 900"),
            Column("pass_rate_900", "float", "share 0-1", "the same as a share"),
            Column("passes_40", "integer", "tasks", "tasks passed, of the children's 40"),
            Column("pass_rate_40", "float", "share 0-1", "the same as a share"),
        ),
    ),
    "competition_by_level": TableFacts(
        "the 68 teams of 2019 by level, on the children's 40 tasks (or on all 900)",
        COMPETITION,
        (*_TEAM, _LEVEL, _TASKS, _PASSES, _RATE),
    ),
    "competition_by_task": TableFacts(
        "the 68 teams of 2019 on each of the 40 tasks", COMPETITION, (*_TEAM, _TASK, _LEVEL, _SCORE, _PASSED)
    ),
    "top_ten_by_level": TableFacts(
        "the ten best teams of 2019 by level, on the children's 40 tasks (or on all 900)",
        COMPETITION,
        (
            _LEVEL,
            Column("teams", "integer", "teams", "how many teams"),
            *(_TASKS, Column("passes", "integer", "trials", "passes of all the teams together")),
            Column("pass_rate", "float", "share 0-1", "mean of the teams' shares passed"),
            *_QUARTILES,
            Column("best", "float", "share 0-1", "highest share of a team"),
        ),
    ),
    "agents_by_level": TableFacts(
        "random, heuristic, PPO and Dreamer-v3 agents, on the children's 40 tasks (or on all 900)",
        AGENTS,
        (*_AGENT, _LEVEL, _TASKS, _PASSES, _RATE),
    ),
    "agents_by_task": TableFacts(
        "the same agents on each of the 40 tasks (some runs lack some)",
        AGENTS,
        (*_AGENT, _TASK, _LEVEL, _SCORE, _PASSED),
    ),
    "language_models_by_task": TableFacts(
        "published results of language models that are exact counts: GPT-4o on 12 tasks of levels 1-3",
        MODELS,
        (
            Column("model", "string", "-", "name in the paper"),
            Column("checkpoint", "string", "-", "the provider's name of the version"),
            Column("experiment", "string", "-", "experiment of the paper"),
            Column("condition", "string", "-", "what was special in it"),
            *(_TASK, _LEVEL, _TRIALS, _PASSES, _RATE),
        ),
    ),
}
"""Every table of baselines, by the name of the function in `human_data` that returns it."""

KNOWN_ERROR = (
    "The published figure of the Animal-AI 3 paper (arXiv 2312.11414) draws children wrongly: its script "
    "joins pass flags and scores under one task name and compares both with the pass mark, which gives "
    "0.600 overall instead of 0.559 (1320 of 2360), and up to 0.41 off on a level. Here only the pass flags "
    "are counted, which agree with score >= pass mark in every recorded attempt."
)
"""A known error in a published figure, and how it is avoided."""
