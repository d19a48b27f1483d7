"""Our pictures of a replay: drawn, compared with the recorded ones, and put on a sheet."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, JpegImagePlugin

from arena import EvaluationError, RecordingError
from arena.files import MAX_DATA_BYTES, read_bytes, write_file
from arena_llm.fidelity.frames import FrameMatch, compare_frames, load_picture, reduced, without_margins
from arena_llm.fidelity.replay import ReplayedEpisode
from arena_llm.fidelity.trace import Trace
from render import Frame, Renderer, decode, png

SIDE = 512
"""Default side of a picture in pixels; LLM-AAI's own."""

SHEET_PAIRS = 4
"""Pairs in one row of the sheet."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A recorded picture and ours of the same instant, and how they compare.

    `stored` is our picture as a file of the same format as the recorded one.
    """

    match: FrameMatch
    recorded: Frame
    ours: Frame
    stored: bytes


def compare_pictures(trace: Trace, replay: ReplayedEpisode) -> Iterator[Pair]:
    """Each recorded picture that our episode reached, compared with ours, in their order.

    Raises RecordingError if a picture cannot be read or its size differs from the first one's.
    """
    renderer: Renderer | None = None
    for instant, path in trace.pictures.items():
        if instant not in replay.scenes:
            continue
        recorded = load_picture(path)
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
    """A frame as a file in the format of the recorded picture `path`.

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
    """Save our picture of every instant as obs-<turn>.<steps>; returns their number.

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
    """Save all pairs as one PNG, recorded on the left, ours on the right, each with its name and share.

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
