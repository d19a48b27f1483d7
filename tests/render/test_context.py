"""Where OpenGL may be used: one process, any of its threads, one device."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from render import BatchRenderer, Renderer
from render.context import DEVICE, THREADS
from tests.arena.worlds import agent, episode

ROOT = Path(__file__).parents[2]

FORK = """
import os
from arena import RenderError
from render import Renderer
from tests.arena.worlds import agent, episode

scene = episode(agent("20 0 20")).scene()
DRAW
child = os.fork()
if child:
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert Renderer(16, 16).frame(scene).any()
    raise SystemExit(status)
try:
    frame = USE
except RenderError as error:
    assert "'spawn'" in str(error), error
    os._exit(3)
os._exit(4 if frame.any() else 5)
"""

NEW, OLD = "Renderer(16, 16).frame(scene)", "renderer.frame(scene)"


def python(program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, **environment},
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize(
    ("draw", "use", "status"),
    [
        ("", NEW, 4),
        ("renderer = Renderer(16, 16)", NEW, 3),
        ("renderer = Renderer(16, 16); renderer.frame(scene)", OLD, 3),
    ],
)
def test_a_forked_process_draws_only_if_its_parent_had_not(draw, use, status):
    done = python(FORK.replace("DRAW", draw).replace("USE", use))
    assert done.returncode == status, done.stderr


def in_thread(function):
    """What a thread returns that has ended."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


@pytest.mark.parametrize("name", ["moderngl", "pyrender"])
def test_any_thread_draws_the_same_also_after_the_first_has_ended(name):
    program = (
        "from functools import partial\n"
        "from arena.cameras import open_camera\n"
        "from tests.arena.worlds import agent, episode\n"
        "from tests.render.test_context import in_thread\n"
        f"Camera = partial(open_camera, name={name!r})\n"
        "scene = episode(agent('20 0 20')).scene()\n"
        "def seen(renderer):\n"
        "    return renderer.frame(scene).tobytes(), renderer.channels(scene).depth.tobytes()\n"
        "renderer = in_thread(lambda: Camera(16, 16))\n"
        "first = in_thread(lambda: seen(renderer))\n"
        "assert seen(renderer) == in_thread(lambda: seen(Camera(16, 16))) == first\n"
        "assert any(first[0])\n"
    )
    done = python(program)
    assert (done.returncode, done.stderr) == (0, "")


def test_threads_that_draw_simultaneously_see_their_own_scenes():
    scenes = [episode(agent("20 0 20", yaw)).scene() for yaw in (0, 30, 60, 90)]
    alone = [Renderer(16, 16).frame(scene).tobytes() for scene in scenes]
    batch = BatchRenderer(1, 16, 16)

    def draw(scene):
        renderer = Renderer(16, 16)
        return {
            image.tobytes() for _ in range(40) for image in (renderer.frame(scene), batch.frames([scene])[0])
        }

    with ThreadPoolExecutor(len(scenes)) as pool:
        assert list(pool.map(draw, scenes)) == [{image} for image in alone]


HELD = """
import os, threading
from arena import RenderError
from render import Renderer
from render.context import drawing

Renderer(16, 16)
held, done = threading.Event(), threading.Event()

def hold():
    with drawing():
        held.set()
        done.wait()

threading.Thread(target=hold).start()
held.wait()
child = os.fork()
if not child:
    try:
        Renderer(16, 16)
    except RenderError:
        os._exit(3)
    os._exit(4)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
done.set()
raise SystemExit(status)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_forked_while_another_thread_draws_is_refused_and_does_not_hang():
    assert python(HELD).returncode == 3


@pytest.mark.parametrize("value", ["cuda", "-1", "0.5"])
def test_a_device_is_a_number(value):
    done = python("from render import Renderer; Renderer(16, 16)", **{DEVICE: value})
    assert f"{DEVICE}: got '{value}', expected the number of an EGL device" in done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="devices are chosen on Linux alone")
def test_a_device_that_is_not_there_is_said():
    done = python("from render import Renderer; Renderer(16, 16)", **{DEVICE: "999"})
    assert "requested device index 999" in done.stderr
    assert f"choose another with {DEVICE}" in done.stderr


def test_the_first_device_may_be_chosen():
    done = python("from render import Renderer; Renderer(16, 16); print('drawn')", **{DEVICE: "0"})
    assert done.stdout == "drawn\n", done.stderr


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="loaded libraries are read from /proc")
@pytest.mark.parametrize("ending", ["", "raise ImportError('broken')"])
def test_triton_is_loaded_before_mesa_where_it_is_there(ending, tmp_path):
    (tmp_path / "triton").mkdir()
    told = "from pathlib import Path\nprint('EGL' in Path('/proc/self/maps').read_text())\n"
    (tmp_path / "triton" / "__init__.py").write_text(told + ending)
    program = "from render.context import drawn_by; print(bool(drawn_by()))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
    )
    assert (done.stdout.split(), done.returncode) == (["False", "True"], 0), done.stderr


BESIDE = """
import moderngl
from render import BatchRenderer, Renderer
from tests.arena.worlds import agent, episode, item

scene = episode(agent("20 0 20"), item("GoodGoal", "20 0 25", sizes="2 2 2")).scene()
renderer, batch = Renderer(32, 32), BatchRenderer(2, 32, 32)
alone = renderer.frame(scene).tobytes(), batch.frames([scene, scene]).tobytes()
alone += tuple(channel.tobytes() for channel in renderer.channels(scene))
other = moderngl.create_context(standalone=True, backend="egl")
other.texture((64, 64), 3)
beside = renderer.frame(scene).tobytes(), batch.frames([scene, scene]).tobytes()
other.__enter__()
beside += tuple(channel.tobytes() for channel in renderer.channels(scene))
assert alone == beside
other.__enter__()
assert Renderer(32, 32).frame(scene).tobytes() == alone[0]
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="EGL is Linux's")
def test_another_librarys_context_beside_ours_changes_nothing():
    done = python(BESIDE)
    assert done.returncode == 0, done.stderr


THREADS_OF = """
import os
from pathlib import Path
from render import Renderer
from render.context import drawn_by

before = dict(os.environ)
Renderer(SIDE, SIDE)
assert dict(os.environ) == before
tasks = [(task / "comm").read_text() for task in Path("/proc/self/task").iterdir()]
print("llvmpipe" in drawn_by(), sum(name.startswith("llvmpipe") for name in tasks))
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are read from /proc")
def test_small_pictures_are_drawn_without_threads():
    given = {name: value for name, value in os.environ.items() if name != THREADS}

    def threads(side, **environment):
        program = THREADS_OF.replace("SIDE", str(side))
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, env=given | environment
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    if threads(84)[0] == "False":
        pytest.skip("a graphics processor draws")
    several = min(os.cpu_count() or 1, 2)
    assert threads(84) == ["True", "0"]
    assert threads(84, **{THREADS: "1"}) == ["True", "1"]
    assert int(threads(512)[1]) >= several - 1
