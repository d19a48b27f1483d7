"""Pictures of a replay: drawn, compared with the recorded ones, and put on a sheet.

Pictures are compared by the classes of their pixels. The class of a pixel is the one with the nearest colour
by hue and saturation; brightness has little weight, so that a shadow changes little."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, JpegImagePlugin
from rich.table import Table

from arena import IDLE, Episode, EvaluationError, RecordingError, load
from arena.files import MAX_DATA_BYTES, read_bytes, write_file
from arena_llm.fidelity.trace import ReplayedEpisode, Trace, read_trace, replay
from render import Frame, Renderer, decode, png

Classes = npt.NDArray[np.intp]

COLORS: tuple[tuple[str, tuple[int, int, int]], ...] = (
    ("magenta", (250, 0, 250)),
    ("magenta", (170, 0, 212)),
    ("green ball", (190, 224, 140)),
    ("yellow ball", (247, 220, 103)),
    ("red", (207, 89, 89)),
    ("red", (215, 30, 25)),
    ("orange", (250, 150, 40)),
    ("blue", (20, 30, 230)),
    ("cyan", (20, 220, 230)),
    ("green", (20, 200, 30)),
    ("sky", (122, 156, 202)),
    ("sky", (90, 122, 158)),
    ("floor", (204, 172, 112)),
    ("floor", (124, 120, 92)),
    ("floor", (132, 124, 104)),
    ("floor", (112, 86, 44)),
    ("pale", (168, 184, 198)),
    ("pale", (152, 152, 152)),
    ("pale", (250, 250, 250)),
    ("black", (0, 0, 0)),
)
"""Colours of surfaces in pictures of Animal-AI 3.1.3, lit and in shadow, with the class of each.

Pale are fence, grey boxes and the sun; strong blue, cyan and green are possible colours of walls.
"""

CLASSES = tuple(dict.fromkeys(name for name, _ in COLORS))
"""The classes in the order of their indices."""

SMALLEST_SHARE = 0.003
"""The overlap of a class is judged only if it covers this share of a picture: 200 of 256 x 256 pixels."""

NEAR = 24
"""Levels of 255 within which a colour is called near; a pixel is near if all its three are."""

COMPARED_HEIGHT = 256
"""Pictures are reduced to about this many rows, which removes most of JPEG's colour noise."""

_VALUE_WEIGHT = 0.25
_WHITE = 240
_CODE = np.array([1 << 16, 1 << 8, 1])


class FrameMatch(NamedTuple):
    """Comparison of a picture with ours: shares of pixels, and each class's overlap.

    `same` is the share in the same class, `near` that within `NEAR` levels; `iou` is intersection over union,
    for classes that cover enough of either picture.
    """

    name: str
    same: float
    near: float
    iou: Mapping[str, float]


def read_picture(path: Path) -> Frame:
    """Read a picture, uint8 (H, W, 3). Raises RecordingError if it cannot be read."""
    try:
        return decode(read_bytes(path, MAX_DATA_BYTES))
    except OSError as error:
        raise RecordingError(f"{path}: not a picture ({error.strerror or 'unknown format'})") from None


def compare_frames(name: str, recorded: Frame, ours: Frame) -> FrameMatch:
    """Compare two pictures of the same size, uint8 (H, W, 3)."""
    one, other = classify(reduced(recorded)), classify(reduced(ours))
    near = 1 - _differs(recorded, ours, NEAR).mean()
    return FrameMatch(name, float((one == other).mean()), float(near), _overlaps(one, other))


def classify(frame: Frame) -> Classes:
    """Classify each pixel: indices (H, W) into `CLASSES`."""
    # A picture has far fewer colours than pixels, so each colour is classified once.
    codes, back = np.unique(frame.astype(np.int64) @ _CODE, return_inverse=True)
    points = _colour_points((codes[:, None] // _CODE % 256).astype(np.uint8))
    distances = ((points[:, None] - _ANCHORS) ** 2).sum(axis=2)
    return _ANCHOR_CLASSES[distances.argmin(axis=1)][back].reshape(frame.shape[:2])


def reduced(frame: Frame) -> Frame:
    """Reduce a picture to about `COMPARED_HEIGHT` rows, by an integer factor."""
    return np.asarray(Image.fromarray(frame).reduce(max(1, frame.shape[0] // COMPARED_HEIGHT)))


def _overlaps(one: Classes, other: Classes) -> dict[str, float]:
    found = {}
    for index, name in enumerate(CLASSES):
        here, there = one == index, other == index
        if max(here.mean(), there.mean()) >= SMALLEST_SHARE:
            found[name] = float((here & there).sum() / (here | there).sum())
    return found


def without_margins(frame: Frame) -> Frame:
    """Crop a wide picture to a square if its margins on both sides are white."""
    height, width, _ = frame.shape
    margin, odd = divmod(width - height, 2)
    if margin <= 0 or odd:
        return frame
    sides = np.concatenate([frame[:, :margin], frame[:, width - margin :]], axis=1)
    return frame[:, margin : width - margin] if np.median(sides) >= _WHITE else frame


def _colour_points(colors: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """Convert colours (n, 3) to points (n, 3): hue and saturation as polar coordinates, and value."""
    hsv = np.asarray(Image.fromarray(colors[None]).convert("HSV"))[0] / 255
    hue, saturation, value = 2 * np.pi * hsv[:, 0], hsv[:, 1], hsv[:, 2]
    return np.stack([saturation * np.cos(hue), saturation * np.sin(hue), _VALUE_WEIGHT * value], axis=1)


_ANCHORS = _colour_points(np.array([color for _, color in COLORS], np.uint8))
_ANCHOR_CLASSES = np.array([CLASSES.index(name) for name, _ in COLORS])


SIDE = 512
"""Default side of a picture in pixels; LLM-AAI's own."""

SHEET_PAIRS = 4
"""Pairs in one row of the sheet."""


class Pair(NamedTuple):
    """Recorded picture and ours of the same instant, with their comparison.

    `stored` is our picture as a file of the same format as the recorded one.
    """

    match: FrameMatch
    recorded: Frame
    ours: Frame
    stored: bytes


def compare_pictures(trace: Trace, replay: ReplayedEpisode) -> Iterator[Pair]:
    """Compare each recorded picture that our episode reached with ours, in order.

    Raises RecordingError if a picture cannot be read or its size differs from the first one's.
    """
    renderer: Renderer | None = None
    for instant, path in trace.pictures.items():
        if instant not in replay.scenes:
            continue
        recorded = without_margins(read_picture(path))
        height, width, _ = recorded.shape
        renderer = renderer or Renderer(width, height)
        if (width, height) != (renderer.width, renderer.height):
            raise RecordingError(
                f"{path}: {width} x {height} pixels, but the pictures before it are "
                f"{renderer.width} x {renderer.height}"
            )
        stored = stored_like(path, renderer.frame(replay.scenes[instant]))
        ours = without_margins(decode(stored))
        yield Pair(compare_frames(str(instant), recorded, ours), recorded, ours, stored)


def stored_like(path: Path, frame: Frame) -> bytes:
    """Encode a frame in the format of the recorded picture `path`.

    JPEG blurs colours across edges, so two pictures are comparable only if both were stored with the same
    tables, chroma sampling and white margins. Any other format is assumed to be lossless: the file is a PNG.
    """
    with Image.open(io.BytesIO(read_bytes(path, MAX_DATA_BYTES))) as recorded:
        if not isinstance(recorded, JpegImagePlugin.JpegImageFile):
            return png(frame)
        tables, sampling = recorded.quantization, JpegImagePlugin.get_sampling(recorded)
        canvas = Image.new("RGB", recorded.size, "white")
    canvas.paste(Image.fromarray(frame), ((canvas.width - frame.shape[1]) // 2, 0))
    buffer = io.BytesIO()
    canvas.save(buffer, "JPEG", qtables=tables, subsampling=sampling)
    return buffer.getvalue()


def write_frames(folder: Path, replay: ReplayedEpisode, pairs: list[Pair]) -> int:
    """Save our picture of every instant as obs-<turn>.<steps>; return their number.

    Pictures of a pair have the format of the recorded one; the others are PNG, of the same size. Raises
    EvaluationError if the folder cannot be written.
    """
    stored = {pair.match.name: pair.stored for pair in pairs}
    height, width = pairs[0].ours.shape[:2] if pairs else (SIDE, SIDE)
    renderer = Renderer(width, height)
    for instant, scene in replay.scenes.items():
        data = stored.get(str(instant)) or png(renderer.frame(scene))
        suffix = ".png" if data.startswith(b"\x89PNG") else ".jpg"
        write_file(folder / f"{instant}{suffix}", data)
    return len(replay.scenes)


def write_sheet(path: Path, pairs: list[Pair]) -> None:
    """Save all pairs as one PNG: recorded left, ours right, with name and share.

    Raises EvaluationError if there are no pairs or the file cannot be written.
    """
    if not pairs:
        raise EvaluationError(f"{path}: no sheet, as there are no recorded pictures to compare with")
    tiles = [_tile(pair) for pair in pairs]
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % SHEET_PAIRS)
    rows = [np.hstack(tiles[start : start + SHEET_PAIRS]) for start in range(0, len(tiles), SHEET_PAIRS)]
    write_file(path, png(np.vstack(rows)))


def _tile(pair: Pair) -> Frame:
    image = Image.fromarray(np.hstack([reduced(pair.recorded), reduced(pair.ours)]))
    draw = ImageDraw.Draw(image)
    text = f"{pair.match.name}  {pair.match.same:.3f}"
    draw.rectangle(draw.textbbox((4, 2), text), fill="black")
    draw.text((4, 2), text, fill="white")
    return np.asarray(image)


Mask = npt.NDArray[np.bool_]

SEED = 1234
"""Seed of the episodes; that of the original's own pictures."""

NOTICEABLE = 2
"""Levels of 255 by which a pixel must differ from the empty arena to belong to the objects."""


class Still(NamedTuple):
    """Pair of pictures, and the agreement of their objects' outlines.

    `silhouette` is intersection over union of the pixels that differ from the empty arena; None if nothing is
    in view, or if no picture of the original shows the empty arena from there.
    """

    pair: Pair
    silhouette: float | None


class _Drawn(NamedTuple):
    """Picture of the original, ours of the same arena, ours without objects, and pixels that differ."""

    name: str
    theirs: Frame
    ours: Frame
    empty: Frame
    objects: Mask


def compare_stills(folder: Path, version: str, seed: int = SEED) -> list[Still]:
    """Compare all pictures NAME.png of a folder that have an arena NAME.yml, by name.

    The empty arena is seen in those of the original's pictures whose things are all invisible. Raises
    RecordingError if there are no pictures or one cannot be read, and as `load` for a broken arena.
    """
    paths = [path for path in sorted(folder.glob("*.png")) if path.with_suffix(".yml").is_file()]
    if not paths:
        raise RecordingError(f"{folder}: no pictures NAME.png with arenas NAME.yml")
    renderer = cache(Renderer)
    drawn = [_drawn(path, version, seed, renderer) for path in paths]
    bare = [each for each in drawn if not each.objects.any()]
    return [
        Still(
            Pair(compare_frames(each.name, each.theirs, each.ours), each.theirs, each.ours, png(each.ours)),
            _silhouette(each, bare),
        )
        for each in drawn
    ]


def read_pairs(folder: Path, version: str) -> dict[str, tuple[Frame, Frame]]:
    """Read the original's pictures of a recording or of stills, and draw ours, by name.

    Raises as `read_trace` and `compare_stills`, and RecordingError for fewer than two.
    """
    if (folder / "arena.yaml").is_file():
        trace = read_trace(folder)
        pairs = list(compare_pictures(trace, replay(trace)))
    else:
        pairs = [still.pair for still in compare_stills(folder, version)]
    if len(pairs) < 2:
        raise RecordingError(f"{folder}: pictures: got {len(pairs)}, expected 2 or more")
    return {pair.match.name: (pair.recorded, pair.ours) for pair in pairs}


def stills_table(stills: Sequence[Still]) -> Table:
    """Make a table of pictures, and their means."""
    table = Table("picture", "same class", f"within {NEAR} levels", "silhouette")
    rows = [(still.pair.match.same, still.pair.match.near, still.silhouette) for still in stills]
    for still, row in zip(stills, rows, strict=True):
        table.add_row(still.pair.match.name, *map(_rounded, row))
    table.add_section()
    known = [[value for value in column if value is not None] for column in zip(*rows, strict=True)]
    table.add_row("mean", *(_rounded(float(np.mean(values)) if values else None) for values in known))
    return table


def as_dict(stills: Sequence[Still]) -> list[dict[str, Any]]:
    """Return all printed values and the overlap of each class, for JSON."""
    return [still.pair.match._asdict() | {"silhouette": still.silhouette} for still in stills]


def _drawn(path: Path, version: str, seed: int, renderer: Callable[[int, int], Renderer]) -> _Drawn:
    """Draw both pictures; `renderer` makes one of a width and height."""
    theirs = read_picture(path)
    arena = next(iter(load(path.with_suffix(".yml"), version, chance="unity").arenas.values()))
    with Episode(arena, task_id=path.stem, seed=seed) as episode:
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


def _differs(one: Frame, other: Frame, levels: int = NOTICEABLE) -> Mask:
    return np.asarray((np.abs(one.astype(np.int16) - other) > levels).any(axis=2))


def _rounded(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
