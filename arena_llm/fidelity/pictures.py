"""Our pictures of a replay: drawn, compared with the recorded ones, and put on a sheet."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, JpegImagePlugin

from arena import EvaluationError, RecordingError, Scene
from arena_llm.fidelity.frames import FrameMatch, compare_frames, load_picture, reduced, without_margins
from arena_llm.fidelity.replay import Moment, Replay
from arena_llm.fidelity.trace import Trace
from render import Frame, Renderer, decode, png

SIDE = 512
"""Side of a picture in pixels where the recording has none to go by; LLM-AAI's own."""

SHEET_PAIRS = 4
"""Pairs in one row of the sheet."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A recorded picture and ours of the same moment, and how they compare.

    `stored` is our picture as a file of the recording's own kind.
    """

    match: FrameMatch
    recorded: Frame
    ours: Frame
    stored: bytes


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
        stored = stored_like(path, renderer.frame(replay.scenes[moment]))
        ours = without_margins(decode(stored))
        yield Pair(compare_frames(str(moment), recorded, ours), recorded, ours, stored)


def stored_like(path: Path, frame: Frame) -> bytes:
    """A frame as a file that has gone through what the recorded picture `path` has gone through.

    JPEG blurs colours across edges, so that two pictures compare only where both were stored with the same
    tables, chroma sampling and white margins. Anything but JPEG is taken as lossless: a PNG.
    """
    with Image.open(path) as recorded:
        if not isinstance(recorded, JpegImagePlugin.JpegImageFile):
            return png(frame)
        tables, sampling = recorded.quantization, JpegImagePlugin.get_sampling(recorded)
        canvas = Image.new("RGB", recorded.size, "white")
    canvas.paste(Image.fromarray(frame), ((canvas.width - frame.shape[1]) // 2, 0))
    buffer = io.BytesIO()
    canvas.save(buffer, "JPEG", qtables=tables, subsampling=sampling)
    return buffer.getvalue()


def without_counterpart(trace: Trace, replay: Replay) -> list[str]:
    """Names of the recorded pictures whose moment our episode did not have."""
    return [path.name for key, path in trace.pictures.items() if Moment(*key) not in replay.scenes]


def write_frames(folder: Path, replay: Replay, pairs: list[Pair]) -> int:
    """Save our picture of every moment as obs-<turn>.<steps>, and say how many there are.

    Where there is a recorded picture, ours is a file of its kind; the others are PNG, of the same size.
    Raises EvaluationError where the folder cannot be written.
    """
    stored = {pair.match.name: pair.stored for pair in pairs}
    height, width = pairs[0].ours.shape[:2] if pairs else (SIDE, SIDE)
    missing: dict[Moment, Scene] = {m: scene for m, scene in replay.scenes.items() if str(m) not in stored}
    renderer = Renderer(width, height) if missing else None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for moment in replay.scenes:
            name = str(moment)
            data = png(renderer.frame(missing[moment])) if renderer and name not in stored else stored[name]
            suffix = ".png" if data.startswith(b"\x89PNG") else ".jpg"
            (folder / f"{name}{suffix}").write_bytes(data)
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
