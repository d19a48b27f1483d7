"""Our pictures of a replay: drawn, compared with the recorded ones, and put on a sheet."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from arena import EvaluationError, RecordingError, Scene
from arena_llm.fidelity.frames import FrameMatch, compare_frames, load_picture, reduced
from arena_llm.fidelity.replay import Moment, Replay
from arena_llm.fidelity.trace import Trace
from render import Frame, Renderer, png

SIDE = 512
"""Side of a picture in pixels where the recording has none to go by; LLM-AAI's own."""

SHEET_PAIRS = 4
"""Pairs in one row of the sheet."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A recorded picture and ours of the same moment, and how they compare."""

    match: FrameMatch
    recorded: Frame
    ours: Frame


def compare_pictures(trace: Trace, replay: Replay) -> Iterator[Pair]:
    """Each recorded picture whose moment our episode reached, against ours, in their order.

    Raises RecordingError where a picture cannot be read or has another size than the first.
    """
    renderer: Renderer | None = None
    for moment, path in ((Moment(*key), path) for key, path in trace.pictures.items()):
        if moment not in replay.scenes:
            continue
        recorded = load_picture(path)
        height, width, _ = recorded.shape
        renderer = renderer or Renderer(width, height)
        if (width, height) != (renderer.width, renderer.height):
            raise RecordingError(
                f"{path}: {width} x {height} pixels, but the pictures before it are "
                f"{renderer.width} x {renderer.height}"
            )
        ours = renderer.frame(replay.scenes[moment])
        yield Pair(compare_frames(str(moment), recorded, ours), recorded, ours)


def without_counterpart(trace: Trace, replay: Replay) -> list[str]:
    """Names of the recorded pictures whose moment our episode did not have."""
    return [path.name for key, path in trace.pictures.items() if Moment(*key) not in replay.scenes]


def write_frames(folder: Path, replay: Replay, drawn: dict[str, Frame]) -> int:
    """Save our picture of every moment as obs-<turn>.<steps>.png, and say how many there are.

    `drawn` are those that exist already, by name; the others are drawn. Raises EvaluationError where the
    folder cannot be written.
    """
    size = next(iter(drawn.values())).shape if drawn else (SIDE, SIDE, 3)
    missing: dict[Moment, Scene] = {m: scene for m, scene in replay.scenes.items() if str(m) not in drawn}
    renderer = Renderer(size[1], size[0]) if missing else None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for moment in replay.scenes:
            frame = renderer.frame(missing[moment]) if renderer and moment in missing else drawn[str(moment)]
            (folder / f"{moment}.png").write_bytes(png(frame))
    except OSError as error:
        raise EvaluationError(f"{folder}: cannot be written ({error.strerror or error})") from None
    return len(replay.scenes)


def write_sheet(path: Path, pairs: list[Pair]) -> None:
    """Save all pairs as one PNG, recorded on the left, ours on the right, each with its name and share.

    Raises EvaluationError where there are no pairs or the file cannot be written.
    """
    if not pairs:
        raise EvaluationError(f"{path}: no sheet, as there are no recorded pictures to compare with")
    tiles = [_tile(pair) for pair in pairs]
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % SHEET_PAIRS)
    rows = [np.hstack(tiles[start : start + SHEET_PAIRS]) for start in range(0, len(tiles), SHEET_PAIRS)]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(np.vstack(rows)))
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be written ({error.strerror or error})") from None


def _tile(pair: Pair) -> Frame:
    image = Image.fromarray(np.hstack([reduced(pair.recorded), reduced(pair.ours)]))
    draw = ImageDraw.Draw(image)
    text = f"{pair.match.name}  {pair.match.same:.3f}"
    draw.rectangle(draw.textbbox((4, 2), text), fill="black")
    draw.text((4, 2), text, fill="white")
    return np.asarray(image)
