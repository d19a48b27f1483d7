"""Whether a run was the one that had been planned."""

from collections.abc import Iterator

from evaluation.log.run import RunLog
from evaluation.plan import deviations


def plan_sentence(log: RunLog) -> str:
    """Says "as planned" or lists each deviation; empty for a run without a plan."""
    metadata = log.header.eval.metadata or {}
    if "plan" not in metadata:
        return ""
    found = [*deviations(metadata["plan"], metadata["done"]), *_unplayed(log)]
    if not found:
        return "The run was carried out as planned (plan file written before it)."
    return f"The run deviated from its plan: {'; '.join(found)}."


def _unplayed(log: RunLog) -> Iterator[str]:
    if log.finished < log.planned:
        yield f"trials: {log.planned} were planned, {log.finished} have a score"
