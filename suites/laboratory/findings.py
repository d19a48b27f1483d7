"""Report panels of runs and episodes in addition to the common tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator
from typing_extensions import TypedDict

from arena.science import TIE, divergence, favours
from evaluation.log.schema import Count, Finite, Share
from evaluation.panels import panel
from evaluation.statistics import mean_text, wilson

Record = Mapping[str, Any]


class Turn(TypedDict):
    """Logged reply; see `suites.laboratory.episode.Turn`."""

    turn: Count
    kind: str
    posterior: list[Share]
    experiment: int | None
    outcome: int | None
    said: str | None
    information: Finite | None
    best: Finite | None
    belief: list[Share] | None
    door: int | None


def _complete(turn: Turn) -> Turn:
    """Check that a stated belief is about all doors."""
    if turn["belief"] is not None and len(turn["belief"]) != len(turn["posterior"]):
        raise ValueError(f"belief: got {len(turn['belief'])} doors, expected {len(turn['posterior'])}")
    return turn


class Replay(TypedDict):
    """Question, true hypothesis, and right door, from 0."""

    question: dict[str, Any]
    truth: Count
    right: Count


class Logged(TypedDict):
    """Finished episode."""

    turns: list[Annotated[Turn, AfterValidator(_complete)]]
    replay: Replay


def run_panels(records: Mapping[str, Sequence[Record]]) -> list[tuple[str, str]]:
    """Tabulate experiments to right doors by agent, family and motion."""
    played = {agent: [each for each in own if each["turns"]] for agent, own in records.items()}
    parts = (part for agent, own in played.items() if own for part in _parts(agent, own))
    found = {name: _chain(own) for name, own in parts}
    if not found:
        return []
    return [("From experiments to the right door", panel("suites.laboratory", "chain", agents=found))]


def episode_panels(record: Record) -> list[tuple[str, str]]:
    """Tabulate experiments in order, with exact and stated probabilities of doors."""
    turns = [turn for turn in record["turns"] if turn["said"] or turn["belief"] or turn["door"] is not None]
    if not turns:
        return []
    doors = len(record["turns"][0]["posterior"])
    body = panel(
        "suites.laboratory", "experiments", turns=turns, doors=range(doors), right=record["replay"]["right"]
    )
    return [("Experiments and what follows from them", body)]


def _parts(agent: str, records: Sequence[Record]) -> Iterator[tuple[str, Sequence[Record]]]:
    """Yield an agent's records, whole and by family and motion. Parts only if there are several."""
    yield agent, records
    families = [record["replay"]["question"]["family"] for record in records]
    for names in (families, [record.get("motion", "") for record in records]):
        for name in dict.fromkeys(names) if len({*names}) > 1 else ():
            yield f"{agent}, {name}", [each for each, of in zip(records, names, strict=True) if of == name]


def _chain(records: Sequence[Record]) -> list[str]:
    """Fill an agent's row, in the order of the template's columns."""
    tried = [[turn for turn in record["turns"] if turn["experiment"] is not None] for record in records]
    chosen = [(turn["information"], turn["best"]) for turns in tried for turn in turns if turn["best"] > TIE]
    believed = [record for record in records if _beliefs(record)]
    opened = [record for record in believed if record["turns"][-1]["door"] is not None]
    return [
        str(len(records)),
        mean_text([len(turns) for turns in tried]),
        mean_text([10 * len(turns) / _replies(record) for turns, record in zip(tried, records, strict=True)]),
        f"{sum(own for own, _ in chosen) / sum(best for _, best in chosen):.2f}" if chosen else "–",
        mean_text([record["turns"][-1]["posterior"][record["replay"]["right"]] for record in records]),
        _share([_favours(record, record["replay"]["right"]) for record in believed]),
        mean_text([_distance(record) for record in believed]),
        _share([_favours(record, record["turns"][-1]["door"]) for record in opened]),
        _share([record["passed"] for record in records]),
    ]


def _replies(record: Record) -> int:
    """Count the replies with an effect (scripts, with a body), at least 1."""
    return max(record.get("scripts", sum(turn.get("kind") == "act" for turn in record["turns"])), 1)


def _beliefs(record: Record) -> list[Mapping[str, Any]]:
    """List the turns that stated a belief."""
    return [turn for turn in record["turns"] if turn["belief"] is not None]


def _favours(record: Record, door: int) -> bool:
    return favours(_beliefs(record)[-1]["belief"], door)


def _distance(record: Record) -> float:
    """Average the divergence of stated from exact beliefs, in bits."""
    return float(np.mean([divergence(turn["posterior"], turn["belief"]) for turn in _beliefs(record)]))


def _share(found: Sequence[bool]) -> str:
    """Format a share with Wilson's 95 % interval; a dash without values."""
    if not found:
        return "–"
    low, high = wilson(sum(found), len(found))
    return f"{sum(found) / len(found):.2f} [{low:.2f}, {high:.2f}]"
