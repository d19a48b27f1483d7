"""The table of differences from the paper, from the list that `eval --show` and reports print."""

from collections.abc import Iterator

from docs._generate.markdown import plain, table
from evaluation.capabilities import prompts_of
from evaluation.choices.effective import effective
from evaluation.prompts import PromptSet
from llm_control.choices import ArenaChoices
from llm_control.paper.convert import SENT, Ingredients
from llm_control.paper.differences import LIST
from llm_control.suite import SUITE

SAME = "the same"


def differences_table() -> str:
    """Each point: what the paper did, what is done by default, and with the preset and the paper's texts."""
    header = ("point", "paper", "default, with `--icl`", "`paper-experiment-1` with the paper's texts")
    return table(header, _rows())


def _rows() -> Iterator[tuple[str, str, str, str]]:
    preset = effective(SUITE, "paper-experiment-1", {}).choices
    ours = prompts_of(SUITE)
    # The shipped texts with others in all places for which the paper's program has some.
    found = Ingredients("-", "-", "-", "$health", "-", "-", source=SENT).prompts()
    papers = PromptSet({**ours.prompts, **found.prompts}, found.layout)
    for point in LIST:
        default = point.ours(ArenaChoices(demonstration=True), ours)
        faithful = point.ours(preset, papers)
        yield plain(point.topic), plain(point.paper), plain(default or SAME), plain(faithful or SAME)
