"""Single pictures of the original, each beside ours of the same arena after the first step."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.table import Table

from arena import IDLE, Episode, RecordingError, load
from arena.files import MAX_DATA_BYTES, read_bytes
from arena_llm.fidelity.frames import compare_frames
from arena_llm.fidelity.pictures import Pair
from render import Frame, Renderer, decode, png

SEED = 1234
"""Seed of the episodes; that of the original's own pictures."""

NOTICEABLE = 2
"""Levels of 255 by which a pixel must differ from the empty arena to belong to the objects."""


@dataclass(frozen=True, slots=True)
class Still:
    """A pair of pictures, and how well the outlines of the objects in them agree.

    `silhouette` is intersection over union of the pixels that differ from the empty arena; None if nothing is
    in view, or if no picture of the original shows the empty arena from there.
    """

    pair: Pair
    silhouette: float | None


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A picture of the original, ours of the same arena, and ours of that arena without things."""

    name: str
    theirs: Frame
    ours: Frame
    empty: Frame


def compare_stills(folder: Path, version: str, seed: int = SEED) -> list[Still]:
    """All pictures NAME.png of a folder that have an arena NAME.yml, by name.

    The empty arena is seen in those of the original's pictures whose things are all invisible. Raises
    RecordingError if there are no pictures or one cannot be read, and as `load` for a broken arena.
    """
    paths = [path for path in sorted(folder.glob("*.png")) if path.with_suffix(".yml").is_file()]
    if not paths:
        raise RecordingError(f"{folder}: no pictures NAME.png with arenas NAME.yml")
    drawn = [_drawn(path, version, seed) for path in paths]
    return [
        Still(
            Pair(compare_frames(each.name, each.theirs, each.ours), each.theirs, each.ours, png(each.ours)),
            _silhouette(each, drawn),
        )
        for each in drawn
    ]


def stills_table(stills: Sequence[Still]) -> Table:
    """A line for each picture, and their means."""
    table = Table("picture", "same class", "silhouette")
    for still in stills:
        table.add_row(still.pair.match.name, f"{still.pair.match.same:.3f}", _rounded(still.silhouette))
    table.add_section()
    outlines = [still.silhouette for still in stills if still.silhouette is not None]
    table.add_row(
        "mean", _rounded(_mean(still.pair.match.same for still in stills)), _rounded(_mean(outlines))
    )
    return table


def as_dict(stills: Sequence[Still]) -> list[dict[str, Any]]:
    """Everything that is printed, and the overlaps of the classes, as plain values for JSON."""
    return [asdict(still.pair.match) | {"silhouette": still.silhouette} for still in stills]


def _drawn(path: Path, version: str, seed: int) -> _Drawn:
    try:
        theirs = decode(read_bytes(path, MAX_DATA_BYTES))
    except OSError as error:
        raise RecordingError(f"{path}: not a picture ({error.strerror or 'unknown format'})") from None
    arena = next(iter(load(path.with_suffix(".yml"), version).arenas.values()))
    with Episode(arena, task_id=path.stem, seed=seed) as episode:
        episode.step(IDLE)
        scene = episode.scene()
    renderer = Renderer(theirs.shape[1], theirs.shape[0])
    nothing = replace(scene, visible=np.zeros(len(scene.things), bool))
    return _Drawn(path.stem, theirs, renderer.frame(scene), renderer.frame(nothing))


def _silhouette(one: _Drawn, every: Iterable[_Drawn]) -> float | None:
    bare = [each for each in every if np.array_equal(each.empty, one.empty) and not _objects(each).any()]
    if not bare:
        return None
    here, there = _differs(one.theirs, bare[0].theirs), _objects(one)
    union = int((here | there).sum())
    return int((here & there).sum()) / union if union else None


def _objects(one: _Drawn) -> npt.NDArray[np.bool_]:
    return _differs(one.ours, one.empty)


def _differs(one: Frame, other: Frame) -> npt.NDArray[np.bool_]:
    apart = np.abs(one.astype(np.int16) - other).max(axis=2)
    return np.asarray(apart > NOTICEABLE)


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return float(np.mean(found)) if found else None


def _rounded(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
