"""Report panels of runs and episodes in addition to the common tables."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, NotRequired

import numpy as np
from pydantic import AfterValidator
from typing_extensions import TypedDict

from arena.packages import rows_of
from evaluation.log.schema import Count, Finite
from evaluation.panels import Bin, panel
from evaluation.panels import calibration as calibrated
from evaluation.statistics import mean_text
from suites.boxing.environments import WORLDS
from suites.boxing.questions import baselines

Numbers = list[Finite]
Vectors = list[Numbers]


EVALUATIONS = (0, 1, 3, 5, 7, 10)
"""Numbers of experiments after which the paper evaluates."""


class _Turn(TypedDict):
    error: str | None
    kind: str
    experiments: Count
    design: str | None
    said: str | None
    information: Finite | None
    regret: Finite | None
    regret_published: Finite | None
    evaluation: int | None
    questions: list[int] | None
    answers: Vectors | None
    truths: Vectors | None
    errors: Numbers | None


def _whole(turn: _Turn) -> _Turn:
    answered = [turn["questions"], turn["answers"], turn["truths"], turn["errors"]]
    sizes = {None if each is None else len(each) for each in answered}
    predicted = turn["kind"] == "predict" and turn["error"] is None
    if len(sizes) > 1 or (predicted and (None in sizes or turn["evaluation"] is None)):
        raise ValueError("an answer, its truth and its error for each question")
    measured = [turn["information"], turn["regret"], turn["regret_published"]]
    tried = turn["kind"] == "act" and turn["error"] is None
    if (tried and None in measured) or len({each is None for each in measured}) > 1:
        raise ValueError("information and regrets of an experiment, all or none")
    if turn["answers"] and not all(turn["answers"] + (turn["truths"] or [])):
        raise ValueError("numbers in every answer")
    return turn


Turn = Annotated[_Turn, AfterValidator(_whole)]
"""Logged reply; see `suites.boxing.episode.Turn`."""


class _Replay(TypedDict):
    environment: str
    goal: str
    mode: str
    chances: bool
    wording: NotRequired[str]
    prior: NotRequired[bool]
    parameters: NotRequired[dict[str, Finite]]
    explanation: NotRequired[str]
    standardised: NotRequired[dict[str, Finite]]
    prior_error: NotRequired[Finite]
    asked_answers: NotRequired[Count]
    missing_answers: NotRequired[Count]


def _known(replay: _Replay) -> _Replay:
    if replay["environment"] not in WORLDS or replay["goal"] not in WORLDS[replay["environment"]].goals:
        raise ValueError("an environment and one of its goals")
    if "wording" not in replay and "prior" not in replay:
        raise ValueError("a wording")
    if "missing_answers" in replay and not {"asked_answers", "prior_error"} <= replay.keys():
        raise ValueError("the prior's error and the number of answers, besides the missing ones")
    # An interrupted episode may have been evaluated after no experiment at all.
    found = replay.get("standardised")
    if found and not any(name.isdecimal() for name in found):
        raise ValueError("an error after some number of experiments")
    return replay


Replay = Annotated[_Replay, AfterValidator(_known)]
"""World and parts of its answers for the tables, incomplete in older logs."""


class Logged(TypedDict):
    """Finished episode."""

    turns: list[Turn]
    replay: Replay
    score: Finite | None


Record = Mapping[str, Any]
Kind = tuple[str, str]

part = partial(panel, "suites.boxing")
"""HTML of a macro of this suite's template."""

_three_digits = partial(mean_text, digits=3)

LARGE = 1_000_000
"""Standardised errors above which words are used; missing answers reach 1e12."""


def run_panels(records: Mapping[str, Sequence[Record]]) -> list[tuple[str, str]]:
    """Build the first page's panels from all agents' records."""
    found = {agent: [each for each in own if _finished(each)] for agent, own in records.items()}
    found = {agent: own for agent, own in found.items() if own}
    if not found:
        return []
    modes = {each["replay"]["mode"] for own in found.values() for each in own}
    paper = _paper(found) if modes == {"as-published"} else []
    oracle = _oracle(found) if modes == {"repaired"} else []
    errors = {agent: _errors(own) for agent, own in found.items()}
    regrets = {agent: _regrets(own) for agent, own in found.items()}
    novices = {agent: pairs for agent, own in found.items() if (pairs := _novices(own))}
    bins = {agent: each for agent, own in found.items() if (each := calibration(own))}
    panels = [
        (
            "Standardised error after experiments",
            part("errors", agents=errors, paper=paper, oracle=oracle, after=EVALUATIONS),
        ),
        ("Regret of experiments", part("regrets", agents=regrets, paper=_paper_regrets(found))),
    ]
    if novices:
        panels.append(("Novice compared with scientist", part("novices", agents=novices)))
    if bins:
        panels.append(("Calibration of probabilities", part("calibration", agents=bins)))
    return panels


def episode_panels(record: Record) -> list[tuple[str, str]]:
    """Build the panel of experiments and answers in order."""
    turns = [turn for turn in record["turns"] if turn["error"] is None]
    tried = [turn for turn in turns if turn["kind"] == "act"]
    answered: dict[int, list[tuple[int, Any, Any, float]]] = {}
    for turn in turns:
        if turn["kind"] == "predict":
            rows = zip(turn["questions"], turn["answers"], turn["truths"], turn["errors"], strict=True)
            answered.setdefault(turn["evaluation"], []).extend(rows)
    replay = record["replay"]
    # An interrupted episode may have turns only.
    panels = [("Experiments", part("experiments", turns=tried, replay=replay))] if tried else []
    if answered:
        panels.append(("Answers", part("answers", evaluations=answered, replay=replay)))
    return panels


def _finished(record: Record) -> bool:
    """Return whether an episode has the tables' data, which interrupted ones lack."""
    return bool(record["turns"]) and "standardised" in record["replay"]


def calibration(records: Sequence[Record]) -> list[Bin]:
    """Bin all stated probabilities by tenths, with the mean truth."""
    return calibrated(
        (number, answer[0], truth[0])
        for number, record in enumerate(records)
        if record["replay"]["chances"]
        for turn in record["turns"]
        if turn["answers"] is not None
        for answer, truth in zip(turn["answers"], turn["truths"], strict=True)
    )


def _by_kind(records: Sequence[Record]) -> dict[Kind, list[Record]]:
    """Group records by environment and goal, in the suite's order."""
    found: dict[Kind, list[Record]] = {
        (name, goal): [] for name, world in WORLDS.items() for goal in world.goals
    }
    for each in records:
        found[each["replay"]["environment"], each["replay"]["goal"]].append(each)
    return {kind: own for kind, own in found.items() if own}


def _errors(records: Sequence[Record]) -> list[tuple[str, ...]]:
    """Tabulate episodes, missing answers, standardised errors, and score by kind."""
    rows = []
    for kind, own in _by_kind(records).items():
        found = [each["replay"]["standardised"] for each in own]
        cells = [_error([z[str(n)] for z in found if str(n) in z]) for n in EVALUATIONS]
        score = mean_text([each["score"] for each in own])
        rows.append((*kind, str(len(own)), _missing(own), *cells, score))
    return rows


def _error(found: Sequence[float]) -> str:
    """Average standardised errors or differences; words if any exceeds `LARGE`."""
    large = sum(abs(z) > LARGE for z in found)
    return f"over {LARGE:,} in {large} of {len(found)}" if large else _three_digits(found)


def _missing(records: Sequence[Record]) -> str:
    """Count missing answers, such as 3 of 60; older logs lack them."""
    replays = [each["replay"] for each in records]
    if not all("missing_answers" in each for each in replays):
        return "–"
    missing, asked = (sum(each[name] for each in replays) for name in ("missing_answers", "asked_answers"))
    return f"{missing} of {asked}"


def _oracle(records: Mapping[str, Sequence[Record]]) -> list[tuple[str, ...]]:
    """Tabulate the Bayes-optimal standardised errors of the played kinds. They are printed by `python -m
    benchmarks.boxing errors`."""
    played = {kind for own in records.values() for kind in _by_kind(own)}
    rows = []
    for row in rows_of("suites.boxing", "oracle.csv"):
        if (kind := (row["environment"], row["goal"])) in played:
            mean = baselines()[*kind, "repaired"]
            means, halves = ([float(row[f"{what}_{n}"]) for n in EVALUATIONS] for what in ("mean", "half"))
            pairs = zip(means, halves, strict=True)
            cells = [f"{(error - means[0]) / mean:.3f} ± {half / mean:.3f}" for error, half in pairs]
            name = "the most informative" if row["designs"] == "eig" else "random"
            rows.append((*kind, name, row["episodes"], "0", *cells[1:]))
    return rows


def _played(records: Mapping[str, Sequence[Record]]) -> list[Mapping[str, str]]:
    """Select the paper's rows (tables 1 to 4) of played kinds and wordings."""
    every = [each["replay"] for own in records.values() for each in own]
    played = {(r["environment"], r["goal"], _wording(r)) for r in every}
    rows = rows_of("suites.boxing", "published.csv")
    return [row for row in rows if (row["environment"], row["goal"], row["wording"]) in played]


def _wording(replay: Record) -> str:
    """Read an episode's wording; up to 0.3.0.dev0 `prior` set the equations."""
    return str(replay["wording"]) if "wording" in replay else "equations" if replay["prior"] else "plain"


def _paper(records: Mapping[str, Sequence[Record]]) -> list[tuple[str, ...]]:
    columns = ("before", "after", "novice")
    return [
        (row["environment"], row["goal"], who, *(row[prefix + name] or "–" for name in columns))
        for row in _played(records)
        for who, prefix in (("GPT-4o", ""), ("Box's Apprentice", "apprentice_"))
    ]


def _paper_regrets(records: Mapping[str, Sequence[Record]]) -> list[tuple[str, ...]]:
    return [
        (row["environment"], row["goal"], row["regret"] or "–", row["apprentice_regret"] or "–")
        for row in _played(records)
    ]


def _regrets(records: Sequence[Record]) -> list[tuple[Kind, str, str, str, str, list[float]]]:
    """Tabulate information and regrets by kind, with the regret per experiment as a curve."""
    rows = []
    for kind, own in _by_kind(records).items():
        turns = [[turn for turn in each["turns"] if turn["regret"] is not None] for each in own]
        longest = max(map(len, turns), default=0)
        if not longest:
            continue
        curve = [float(np.mean([t[k]["regret"] for t in turns if len(t) > k])) for k in range(longest)]
        one, two, three = (
            _three_digits([float(np.mean([turn[name] for turn in t])) for t in turns if t])
            for name in ("information", "regret", "regret_published")
        )
        rows.append((kind, one, two, three, _points(curve), curve))
    return rows


def _points(curve: Sequence[float]) -> str:
    """Draw a polyline of 120 x 32 pixels, from 0 to the largest value."""
    top = max(*curve, 1e-9)
    step = 116 / max(len(curve) - 1, 1)
    return " ".join(f"{2 + step * k:.1f},{30 - 28 * value / top:.1f}" for k, value in enumerate(curve))


def _novices(records: Sequence[Record]) -> list[tuple[str, ...]]:
    """Tabulate final errors of scientist and novice by kind, with their difference."""
    rows = []
    for kind, own in _by_kind(records).items():
        found = [each["replay"]["standardised"] for each in own]
        last = [max((key for key in z if key.isdecimal()), key=int, default="") for z in found]
        pairs = [(z[key], z["novice"]) for z, key in zip(found, last, strict=True) if "novice" in z]
        if pairs:
            scientist, novice = zip(*pairs, strict=True)
            lost = [b - a for a, b in pairs]
            cells = map(_error, (scientist, novice, lost))
            rows.append((*kind, str(len(pairs)), _missing(own), *cells))
    return rows
