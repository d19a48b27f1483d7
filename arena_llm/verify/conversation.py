"""What a sample states of its episodes together: their order, and the scores of them all."""

import math
from collections.abc import Iterator, Sequence

from arena_llm.verify.battery import battery
from arena_llm.verify.comparison import same
from arena_llm.verify.found import Source
from arena_llm.verify.kept import KeptSample
from arena_llm.verify.report import Checked, Finding
from llm_control.choices import Protocol
from llm_control.selection import conversation_order


def order_findings(kept: KeptSample, source: Source, protocol: Protocol) -> tuple[list[Finding], list[str]]:
    """What of the order of a conversation is not the protocol's, and what cannot be told of it."""
    if not kept.together:
        return [], []
    found = []
    played = list(kept.plain)
    if played != list(kept.planned[: len(played)]):
        found.append(Finding(None, "episodes", ", ".join(played), ", ".join(kept.planned[: len(played)])))
    tasks = battery(source.path)
    if tasks is None:
        return found, ["the order of its conversation is not verified: the log does not have all tasks"]
    order = [task.id for task in conversation_order(protocol, tasks, source.epoch - 1)]
    if order != list(kept.planned):
        found.append(Finding(None, "order", ", ".join(kept.planned), ", ".join(order)))
    return found, []


def score_findings(kept: KeptSample, every: Sequence[Checked]) -> Iterator[Finding]:
    """Whether the value of the score is what the replays of all episodes of the sample are worth."""
    if "pass_mark" not in kept.scores or any(each.problem for each in every):
        return
    verdicts = [each.passed for each in every if each.finished and each.passed is not None]
    value = sum(verdicts) / len(verdicts) if verdicts else math.nan
    logged = kept.scores["pass_mark"].value
    if not same(logged, value):
        yield Finding(None, "score pass_mark", logged, value)
