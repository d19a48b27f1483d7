"""What `render` shows in each of Gymnasium's modes."""

import os
import subprocess
import sys

import gymnasium
import numpy as np
import pytest

from arena import Episode
from render import Renderer
from tests.arena.learning import FILE


def made(mode, **options):
    env = gymnasium.make("arena-llm/Arena-v0", config=FILE, observation="vector", render_mode=mode, **options)
    env.reset(seed=1)
    return env


def test_without_a_mode_there_is_nothing():
    assert made(None).unwrapped.render() is None


def test_an_array_is_the_agents_view():
    env = made("rgb_array", render_resolution=40)
    with Episode(FILE.arenas[0], task_id="0", seed=1) as episode:
        expected = Renderer(40, 40).frame(episode.scene())
    assert (env.render() == expected).all()
    assert made("rgb_array").render().shape == (512, 512, 3)


def test_a_list_has_every_frame_since_the_last_one():
    env = made("rgb_array_list", render_resolution=16)
    for _ in range(3):
        env.step(4)
    frames = env.render()
    assert [(frame.shape, frame.dtype) for frame in frames] == [((16, 16, 3), np.uint8)] * 4
    assert (frames[0] != frames[3]).any()


@pytest.mark.filterwarnings("ignore:.*HumanRendering wrapper is being applied")
def test_a_window_shows_it(monkeypatch):
    pygame = pytest.importorskip("pygame", reason="pygame is not installed")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = made("human", render_resolution=64, action_repeat=3)
    env.step(4)
    shown = pygame.surfarray.array3d(pygame.display.get_surface())
    assert (shown.transpose(1, 0, 2) == env.env.render()).all()
    env.close()


WATCHED = """
import gymnasium
import numpy as np
from tests.arena.learning import FILE

def seen(mode):
    env = gymnasium.make(
        "arena-llm/Arena-v0", config=FILE, observation="camera", render_mode=mode, render_resolution=64
    )
    pictures = [env.reset(seed=1)[0], *(env.step(3)[0] for _ in range(3))]
    env.close()
    return np.stack(pictures)

before, watched, after = seen(None), seen("human"), seen(None)
assert (watched == before).all(), "the agent sees something else while it is watched"
assert (after == before).all(), "the agent sees something else after the window"
"""


def test_a_window_changes_nothing_that_the_agent_sees():
    # In a process of its own: if pictures break, they do so for all that draws after this test.
    pytest.importorskip("pygame", reason="pygame is not installed")
    settings = {name: value for name, value in os.environ.items() if not name.startswith("SDL_")}
    # SDL's driver that draws by OpenGL where there is no screen, as others do where there is one.
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WATCHED],
        env=settings | {"SDL_VIDEODRIVER": "offscreen", "SDL_AUDIODRIVER": "dummy"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
