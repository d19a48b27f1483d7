"""The learning environment compared with other programs', on one scene of 50 things, in turn."""

from dataclasses import replace

import numpy as np

from benchmarks.peers.contenders import CONTENDERS, OURS, Contender, Work
from benchmarks.peers.rounds import Comparison, Rounds, Row, advances, compare
from benchmarks.result import Figure
from benchmarks.rl.steps import PER_SECOND, Advance

SECTION = "50 things"

_WORDS = {Work.BARE: "vector", Work.RAYS: "rays", Work.CAMERA: "camera", Work.BOTH: "rays and camera"}

_BARE, _MINIWORLD = "bare PyBullet", "MiniWorld"


def beside_rows(drawing: bool) -> list[Row]:
    """Contenders with their work; comparable ones are neighbours."""
    known = {contender.name: contender for contender in CONTENDERS}
    ours = replace(known[OURS], options={"learning": True}, does={})
    rows = [
        (ours, Work.BARE, 0),
        (known[_BARE], Work.BARE, 0),
        (ours, Work.RAYS, 0),
        (known[_BARE], Work.RAYS, 0),
        (ours, Work.CAMERA, 64),
        (ours, Work.CAMERA, 84),
        (known[_MINIWORLD], Work.CAMERA, 84),
        (known[_BARE], Work.CAMERA, 84),
        (ours, Work.CAMERA, 128),
        (ours, Work.BOTH, 84),
    ]
    return [Row(*row) for row in rows if drawing or not row[2]]


def beside_advances(rounds: Rounds, drawing: bool) -> int:
    """How often `measure_beside` calls `advance`."""
    rows = beside_rows(drawing)
    return advances(_contenders(rows), rounds, rows)


def measure_beside(
    rounds: Rounds, seed: int, advance: Advance, drawing: bool
) -> tuple[list[Figure], list[str]]:
    """Steps per second of all contenders that run, and why the others do not."""
    rows = beside_rows(drawing)
    found = compare(_contenders(rows), rounds, seed, advance, Comparison([]), rows)
    reasons = {f"{row.contender.name} did not run: {row.reason}": None for row in found.rows if row.reason}
    return [_figure(row) for row in found.rows if row.rates], list(reasons)


def _contenders(rows: list[Row]) -> list[Contender]:
    return list({row.contender.name: row.contender for row in rows}.values())


def _figure(row: Row) -> Figure:
    side = f" {row.side} x {row.side}" if row.side else ""
    without = row.work is Work.BARE and row.contender.name != OURS
    name = f"{row.contender.name}, {'no sensor' if without else _WORDS[row.work]}{side}"
    return Figure(SECTION, name, PER_SECOND, ("scene",), np.array(row.rates)[:, None])
