"""A small picture of every kind of object, and films of episodes, drawn by the default renderer."""

import io
import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image

from arena import IDLE, Episode, Recording
from arena.packages import data_of
from arena.replay import Replay
from arena.scene import Vector
from arena.taskfile.config import RGB, ArenaSpec, Item, Vector3
from arena.taskfile.kind import Kind
from arena.taskfile.versions import Version
from arena_llm.pictures.canvas import GREY, write
from arena_llm.pictures.film import Film
from docs._generate.kinds import in_version, public_kinds
from evaluation.opened import Opened
from evaluation.transcript import transcript
from render import Camera, Frame, Renderer, top_view
from testbed import LEVEL_NAMES, find_tasks, task_named
from testbed.proof.solutions import read
from testbed.tasks import LABORATORY_FOLDER

WIDTH, HEIGHT = 240, 160
"""Pixels of a picture."""

FOV_DEG = 40.0
LOOK_YAW_DEG, LOOK_PITCH_DEG = 325.0, 22.0
"""The camera looks north-west and down, so that the +x and -z sides show."""

COLORS = 128
"""Colours of a picture; full colour would make the files three times as large."""

SHOWN = data_of("docs._generate", "shown.yaml")

_PAINT = RGB(r=110.0, g=150.0, b=190.0)
"""Colour of the kinds that would have a random one."""

FILM_EVERY, FILM_MS, LAST_MS = 4, 240, 3000
"""Steps from one frame to the next, and how long a frame and the last one are shown: the pace of play."""

THOUGHT_OUT, PAUSE_FRAMES = "02-02-01", 5
"""The task that is filmed with the agent's thoughts, and frames before each reply."""

FILM_CAMERA = Camera((20.0, 19.0, -1.5), 0.0, 51.0, fov=51.0)
"""Above the near side, so that pads, apparatus and doors are seen all the time."""


def pictures() -> Iterator[tuple[str, Frame]]:
    """The name and the picture, uint8 (160, 240, 3), of every kind of files, and the battery from above."""
    renderer = Renderer(WIDTH, HEIGHT)
    for kind in public_kinds():
        yield kind.name, _picture(kind, renderer)
    yield "battery", _battery()


def films() -> Iterator[tuple[str, list[Frame]]]:
    """Yield names and frames, uint8 (H, W, 3): a solution of each family, and an episode."""
    renderer, proofs = Renderer(448, 288), read(LABORATORY_FOLDER)
    for family, task_id in SHOWN["filmed"].items():
        with Replay(proofs[task_id].solution, task_named(task_id).spec) as replay:
            episodes = (each.episode for each in replay.moments())
            shown = (each.scene() for each in episodes if each.done or each.steps % FILM_EVERY == 0)
            yield f"laboratory-{family}", [renderer.frame(scene, FILM_CAMERA) for scene in shown]
    yield "episode", list(_thinking())


def _thinking() -> Iterator[Frame]:
    """Yield frames of an episode of `arena/pixels`: its view, the arena from above, and its replies."""
    record = transcript(Opened.named("arena").setup(THOUGHT_OUT), "pixels").record
    recording, turns = Recording.model_validate(record.replay), record.turns
    begins = {recording.steps - sum(t["steps"] for t in turns[k:]): t["reply"] for k, t in enumerate(turns)}
    views = [Film(view, 288, steps=recording.steps, hud=True) for view in ("agent", "top")]
    said = ""
    with Replay(recording, task_named(THOUGHT_OUT).spec) as replay:
        for episode, step, *_ in replay.moments():
            said = begins.get(step, said)
            for view in views:
                view.follow(episode)
            if said and (episode.done or step in begins or step % FILM_EVERY == 0):
                pictures = np.hstack([view.frame(episode) for view in views])
                frame = np.vstack([pictures, _caption(said, pictures.shape[1])])
                yield from [frame] * (PAUSE_FRAMES if step in begins else 1)


def _battery() -> Frame:
    """Return ten arenas of each level from above, a row for each level."""
    renderer = Renderer(72, 72)
    rows = [
        [Episode(task.spec, task_id=task.id).scene() for task in find_tasks((level,))[::9]]
        for level in LEVEL_NAMES
    ]
    return np.vstack([np.hstack([renderer.frame(scene, top_view()) for scene in row]) for row in rows])


def _caption(reply: str, width: int) -> Frame:
    """Return two lines of text: the thought of a reply, and its script."""
    image = Image.new("RGB", (width, 48), "white")
    thought, _, script = reply.removeprefix("Think('").partition("'); ")
    write(image, (10, 20), thought, 15)
    write(image, (10, 40), script, 13, color=GREY)
    return np.asarray(image)


def animated(frames: Sequence[Frame]) -> bytes:
    """A small WebP that is repeated for ever."""
    first, *others = map(Image.fromarray, frames)
    shown, buffer = {"duration": [FILM_MS] * len(others) + [LAST_MS], "loop": 0}, io.BytesIO()
    first.save(buffer, "WEBP", save_all=True, append_images=others, quality=70, method=6, **shown)
    return buffer.getvalue()


def encoded(frame: Frame) -> bytes:
    """A small PNG with few colours."""
    buffer = io.BytesIO()
    Image.fromarray(frame).quantize(COLORS).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _picture(kind: Kind, renderer: Renderer) -> Frame:
    episode = Episode(_arena(kind), task_id=kind.name)
    for _ in range(SHOWN["wait"].get(kind.name, 40)):
        episode.step(IDLE)
    scene = episode.scene()
    return renderer.frame(scene, _camera(scene.positions[0], scene.sizes[0]))


def _arena(kind: Kind) -> ArenaSpec:
    """An arena with the kind in its middle, in the oldest version that has it; the agent is out of view."""
    version = Version.V3 if in_version(kind.name, Version.V3) else Version.V4
    keys = (kind.body.value, kind.name, kind.shape.value, "bars")
    size = next(SHOWN["sizes"][key] for key in keys if key in SHOWN["sizes"])
    thing = Item(
        name=kind.name,
        positions=(_vector((20.0, 0.0, 20.0)),),
        rotations=(SHOWN["turned"].get(kind.name, 0),),
        sizes=(_vector(size),),
        symbol_names=("right-arrow",),
        colors=(_PAINT,) if kind.random_color else (),
    )
    agent = Item(name="Agent", positions=(_vector((38.0, 0.0, 2.0)),), rotations=(0.0,))
    return ArenaSpec(items=(agent, thing), version=version)


def _vector(values: Vector) -> Vector3:
    return Vector3(x=values[0], y=values[1], z=values[2])


def _camera(middle: npt.NDArray[np.float64], size: npt.NDArray[np.float64]) -> Camera:
    """A camera whose picture contains a thing of this size (metres)."""
    distance = 0.75 * float(np.linalg.norm(size)) / math.tan(math.radians(FOV_DEG) / 2)
    x, y, z = middle - distance * Camera((0.0, 0.0, 0.0), LOOK_YAW_DEG, LOOK_PITCH_DEG, fov=FOV_DEG).axes()[2]
    return Camera((float(x), float(y), float(z)), LOOK_YAW_DEG, LOOK_PITCH_DEG, fov=FOV_DEG)
