"""Single pictures of the original, each beside ours of the same arena after the first step."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rich.table import Table

from arena import IDLE, Episode, RecordingError, load
from arena_llm.fidelity.pictures import Pair, compare_frames, read_picture
from render import Frame, Renderer, png

Mask = npt.NDArray[np.bool_]

SEED = 1234
"""Seed of the episodes; that of the original's own pictures."""

NOTICEABLE = 2
"""Levels of 255 by which a pixel must differ from the empty arena to belong to the objects."""


class Still(NamedTuple):
    """A pair of pictures, and how well the outlines of the objects in them agree.

    `silhouette` is intersection over union of the pixels that differ from the empty arena; None if nothing is
    in view, or if no picture of the original shows the empty arena from there.
    """

    pair: Pair
    silhouette: float | None


class _Drawn(NamedTuple):
    """A picture of the original, ours of the same arena, ours without things, and where these differ."""

    name: str
    theirs: Frame
    ours: Frame
    empty: Frame
    objects: Mask


def compare_stills(folder: Path, version: str) -> list[Still]:
    """All pictures NAME.png of a folder that have an arena NAME.yml, by name.

    The empty arena is seen in those of the original's pictures whose things are all invisible. Raises
    RecordingError if there are no pictures or one cannot be read, and as `load` for a broken arena.
    """
    paths = [path for path in sorted(folder.glob("*.png")) if path.with_suffix(".yml").is_file()]
    if not paths:
        raise RecordingError(f"{folder}: no pictures NAME.png with arenas NAME.yml")
    renderer = cache(Renderer)
    drawn = [_drawn(path, version, renderer) for path in paths]
    bare = [each for each in drawn if not each.objects.any()]
    return [
        Still(
            Pair(compare_frames(each.name, each.theirs, each.ours), each.theirs, each.ours, png(each.ours)),
            _silhouette(each, bare),
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
    mean = float(np.mean([still.pair.match.same for still in stills]))
    table.add_row("mean", _rounded(mean), _rounded(float(np.mean(outlines)) if outlines else None))
    return table


def as_dict(stills: Sequence[Still]) -> list[dict[str, Any]]:
    """Everything that is printed, and the overlaps of the classes, as plain values for JSON."""
    return [still.pair.match._asdict() | {"silhouette": still.silhouette} for still in stills]


def _drawn(path: Path, version: str, renderer: Callable[[int, int], Renderer]) -> _Drawn:
    """Both pictures; `renderer` gives the one of a width and height."""
    theirs = read_picture(path)
    arena = next(iter(load(path.with_suffix(".yml"), version).arenas.values()))
    with Episode(arena, task_id=path.stem, seed=SEED) as episode:
        episode.step(IDLE)
        scene = episode.scene()
    height, width, _ = theirs.shape
    nothing = replace(scene, visible=np.zeros(len(scene.things), bool))
    ours, empty = map(renderer(width, height).frame, (scene, nothing))
    return _Drawn(path.stem, theirs, ours, empty, _differs(ours, empty))


def _silhouette(one: _Drawn, bare: Sequence[_Drawn]) -> float | None:
    seen = next((each.theirs for each in bare if np.array_equal(each.empty, one.empty)), None)
    if seen is None:
        return None
    theirs = _differs(one.theirs, seen)
    union = int((theirs | one.objects).sum())
    return int((theirs & one.objects).sum()) / union if union else None


def _differs(one: Frame, other: Frame) -> Mask:
    return np.asarray((np.abs(one.astype(np.int16) - other) > NOTICEABLE).any(axis=2))


def _rounded(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
