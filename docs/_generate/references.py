"""The table of all reference agents' scores, as `python -m benchmarks.references` wrote them."""

from collections.abc import Iterator, Sequence

from docs._generate.markdown import table
from evaluation.scale.references import BEST, FLOORS, Reference, references, scale_of
from evaluation.suites import get_suite, suite_names

AGENTS = (*FLOORS, "random", BEST)


def references_table() -> str:
    """A row for each group of each suite: the score of every reference agent, and the episodes of each."""
    rows = [row for name in suite_names() for row in _suite_rows(name)]
    return table(("suite", "group", *(f"`{agent}`" for agent in AGENTS), "episodes of `ideal`"), rows)


def _suite_rows(name: str) -> Iterator[Sequence[str]]:
    scale = scale_of(get_suite(name))
    groups: dict[tuple[str, str], dict[str, Reference]] = {}
    for row in references(scale.table) if scale else ():
        groups.setdefault((row.conditions, row.group), {})[row.agent] = row
    for (_, group), own in groups.items():
        scores = (_score(own.get(agent)) for agent in AGENTS)
        yield (name, group, *scores, str(own[BEST].episodes) if BEST in own else "-")


def _score(row: Reference | None) -> str:
    if row is None:
        return "-"
    return f"{row.score:.2f}" + (f" ± {row.half:.2f}" if row.half else "")
