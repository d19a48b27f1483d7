"""Whether another machine computes the same bits as the one that asks it."""

import platform
from collections.abc import Mapping

from arena.errors import EvaluationError


def check_software(asked: Mapping[str, str], here: Mapping[str, str]) -> None:
    """Raises EvaluationError if this machine's software is not that of the run."""
    for name, value in here.items():
        if asked.get(name) != value:
            raise _other(name, value, asked.get(name))


def check_renderer(asked: str | None, here: str | None) -> None:
    """Raises EvaluationError where this machine draws with something else than the one that asks it."""
    if here is not None and here != asked:
        raise _other("pictures by", here, asked)


def _other(name: str, here: str, asked: str | None) -> EvaluationError:
    return EvaluationError(
        f"{platform.node()} has {name} {here}, and this run needs {asked}, or its results could differ; use "
        "the same on every machine of the cluster"
    )
