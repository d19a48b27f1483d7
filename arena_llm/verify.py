"""Verification of recordings and logs by `arena-llm verify`, and its tables."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from pydantic_core import to_jsonable_python
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena import Recording
from arena.errors import ArenaError
from arena.replay import Replay
from arena_llm.replay import arena_of
from evaluation.by_hand.played import PlayedEpisode
from evaluation.log.run import RunLog
from evaluation.verify.sample import same, verify_played, verify_sample
from evaluation.verify.sources import Checked, Finding, Options, Source, Verdict, unverified


def is_recording(path: Path) -> bool:
    """Return whether a file is a recording."""
    return _holds(path, Recording) or _holds(path, PlayedEpisode)


def _holds(path: Path, kind: type[Recording] | type[PlayedEpisode]) -> bool:
    try:
        kind.read(path)
    except ArenaError:
        return False
    return True


def verify(source: Source, options: Options) -> tuple[Checked, ...]:
    """Verify a recording, or each task of a sample; one result each, with its faults."""
    if source.sample is None:
        return _recording(source, options)
    return verify_sample(source, options)


def _recording(source: Source, options: Options) -> tuple[Checked, ...]:
    try:
        if _holds(source.path, PlayedEpisode):
            return (verify_played(source.path),)
        recording = Recording.read(source.path)
        spec = arena_of(recording, options.task, options.folder)
        with Replay(recording, spec) as replay:
            ended = replay.to_end()
            return (
                Checked(
                    str(source.path),
                    recording.task_id,
                    recording.trial,
                    steps=ended.steps,
                    passed=ended.passed if ended.done else None,
                    findings=tuple(Finding(None, *end) for end in replay.unlike()),
                    versions=replay.other_versions(),
                ),
            )
    except ArenaError as error:
        return unverified(Source(source.path, source.path.stem), error)


MOST_ROWS, MOST_PER_EPISODE = 60, 4
"""Limits of the table; JSON has everything. After a difference in motion all later turns differ too."""

_LONGEST = 60


class PassRate(NamedTuple):
    """Pass rate of a log, as logged and as replayed."""

    path: Path
    logged: float
    replayed: float


def pass_rates(logs: Iterable[RunLog], every: Sequence[Checked]) -> tuple[list[PassRate], list[Path]]:
    """Find pass rates that are not as logged, and logs whose rate cannot be compared.

    That needs a replay of every episode that has a score.
    """
    wrong: list[PassRate] = []
    unknown: list[Path] = []
    for log in logs:
        own = [each for each in every if each.source == str(log.path)]
        episodes = [each for each in own if each.scored]
        if log.pass_rate is None or any(each.problem or not each.finished for each in episodes):
            unknown.append(log.path)
            continue
        verdicts = [each.passed for each in episodes if each.passed is not None]
        verdicts += [False for each in own if each.missing and log.counts_missing]
        rate = sum(verdicts) / len(verdicts) if verdicts else math.nan
        if not same(log.pass_rate, rate):
            wrong.append(PassRate(log.path, log.pass_rate, rate))
    return wrong, unknown


def print_findings(console: Console, every: Sequence[Checked], rates: Sequence[PassRate]) -> None:
    """Print differences by episode, and why episodes could not be verified."""
    several = len({each.source for each in every}) > 1
    table = Table("episode", "turn", "what", "in the log", "in the replay")
    for rate in rates:
        table.add_row(Text(rate.path.name), "", "pass rate", f"{rate.logged:g}", f"{rate.replayed:g}")
    left = MOST_ROWS
    for each in every:
        if left > 0:
            left -= _add(table, each, several)
    if table.row_count:
        console.print(table)
    for each in every:
        if each.problem and each.finished:
            console.print(f"{_named(each, several)}: {each.problem}", markup=False)


def _add(table: Table, each: Checked, several: bool) -> int:
    shown = each.findings[:MOST_PER_EPISODE]
    for found in shown:
        turn = "" if found.turn is None else str(found.turn)
        values = [Text(_told(found.logged)), Text(_told(found.replayed))]
        table.add_row(Text(_named(each, several)), turn, Text(found.what), *values)
    if len(each.findings) > len(shown):
        table.add_row(Text(_named(each, several)), "", f"and {len(each.findings) - len(shown)} more")
    return len(shown)


def _named(each: Checked, several: bool) -> str:
    return f"{Path(each.source).name}: {each.name}" if several else each.name


def _told(value: object) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def print_summary(
    console: Console, every: Sequence[Checked], unknown: Sequence[Path], passed_over: int
) -> None:
    """Print verdicts and numbers of compared items."""
    counts = Counter(each.verdict for each in every)
    for verdict in Verdict:
        if counts[verdict]:
            console.print(f"{counts[verdict]} of {len(every)} episodes: {verdict}")
    turns, steps = sum(each.turns for each in every), sum(each.steps for each in every)
    pictures = sum(each.pictures for each in every)
    requests = sum(each.requests for each in every)
    console.print(
        f"Replayed {steps} steps in {turns} turns; compared {pictures} pictures"
        + (f", and for {requests} replies which of them were sent." if requests else ".")
    )
    for text, count in Counter(note for each in every for note in each.notes).items():
        console.print(f"Note, {count} episodes: {text}.", markup=False)
    for text, count in Counter(note for each in every for note in each.versions).items():
        console.print(f"Made with other software, {count} episodes: {text}.", markup=False)
    for path in unknown:
        console.print(
            f"{path.name}: its pass rate is not compared, as some episodes cannot be.", markup=False
        )
    if passed_over:
        console.print(
            f"{passed_over} files in the folders are no recordings or logs of eval, and were skipped."
        )


def worst(every: Sequence[Checked], rates: Sequence[PassRate]) -> str | None:
    """Summarise faults in one sentence; None if everything agrees."""
    counts = Counter(each.verdict for each in every)
    parts = []
    if changed := counts[Verdict.DIFFERS]:
        parts.append(f"{changed} of {len(every)} episodes differ from the log")
    if rates:
        parts.append(f"the pass rate of {len(rates)} logs differs from the logged one")
    if other := counts[Verdict.OTHER_SOFTWARE]:
        parts.append(
            f"{other} differ and were made with other software, so differences are to be expected; "
            "verify them with that software"
        )
    if unverified := counts[Verdict.UNVERIFIED]:
        parts.append(f"{unverified} could not be verified")
    return "; ".join(parts) or None


def as_json(every: Sequence[Checked], rates: Sequence[PassRate]) -> dict[str, object]:
    """Return plain values: `episodes`, and `pass_rates` that are not as logged."""
    return to_jsonable_python(
        {
            "verdicts": Counter(each.verdict for each in every),
            "pass_rates": [rate._asdict() for rate in rates],
            "episodes": [{"verdict": each.verdict, **asdict(each)} for each in every],
        },
        inf_nan_mode="strings",
    )
