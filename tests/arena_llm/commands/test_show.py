"""`arena-llm show`: a task as a figure."""

import numpy as np
import pytest
from PIL import Image

from arena import Episode, load_text
from arena_llm.pictures.tasks import StartViews, depends_on_seed, describe, task_picture
from render import Renderer, decode, top_view
from testbed import Task, task_named
from tests.arena.worlds import agent, arena_text, item


def text(t=250, mark="1.5", x=28):
    return arena_text(agent("12 0 8", 90), item("GoodGoal", f"{x} 0 30", sizes="3 3 3"), t=t, pass_mark=mark)


def task_of(source, name="03-01-01", level=3):
    return Task(name, level, None, load_text(source).arenas[0], "")


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        (text(), "pass mark 1.5  ·  time limit t = 250 (417 steps)"),
        (text(t=0, mark="~"), "no pass mark  ·  no time limit"),
        (text(t=1000, x=-1), "pass mark 1.5  ·  time limit t = 1000 (1667 steps)  ·  seed 5"),
    ],
)
def test_a_task_is_described_by_what_it_asks_and_by_its_seed_where_that_matters(source, asked):
    assert describe(task_of(source), seed=5) == ("03-01-01   Static Obstacles", asked)


def test_the_random_skin_of_an_agent_is_no_variant():
    assert not depends_on_seed(load_text(text()).arenas[0], "a")
    assert depends_on_seed(load_text(text(x=-1)).arenas[0], "a")


def test_the_figure_shows_the_agents_own_pixels_and_the_view_from_above():
    size, task = 256, task_of(text())
    page = np.asarray(task_picture(task, seed=0, size=size))
    start = StartViews(size).of(task.spec, task.id)
    placed = [offset(page, picture) for picture in (start.above, start.agent)]
    (top, left), (agent_top, right) = placed
    assert top == agent_top
    assert right > left + size
    margin = page.shape[1] - right - size
    inked = np.nonzero((page != 255).any(axis=2))
    assert inked[1].min() == pytest.approx(margin, abs=4)
    assert inked[0].min() == pytest.approx(margin, abs=6)
    assert page.shape[0] - inked[0].max() == pytest.approx(margin, abs=6)


def test_the_ticks_of_the_axes_stand_at_their_metres():
    size, task = 256, task_of(text())
    page = np.asarray(task_picture(task, seed=0, size=size)).astype(int)
    top, left = offset(page, StartViews(size).of(task.spec, task.id).above)
    places = top_view().project([(at, 0, at) for at in (0, 10, 20, 30, 40)], size, size)
    below = np.nonzero(page[top + size + 1, left : left + size].sum(axis=1) < 384)[0]
    beside = np.nonzero(page[top : top + size, left - 2].sum(axis=1) < 384)[0]
    assert below + 0.5 == pytest.approx(places[:, 0], abs=1.0)
    assert beside + 0.5 == pytest.approx(places[::-1, 1], abs=1.0)


def offset(page, picture):
    """Row and column at which a page has a picture."""
    size = len(picture)
    corners = np.argwhere((page[: -size + 1, : -size + 1] == picture[0, 0]).all(axis=2)).tolist()
    (found,) = [(y, x) for y, x in corners if (page[y : y + size, x : x + size] == picture).all()]
    return found


def test_the_agents_picture_is_not_smoothed_and_the_agent_is_marked():
    task = task_of(text())
    start = StartViews(200).of(task.spec, task.id)
    with Episode(task.spec, task_id=task.id) as episode:
        scene = episode.scene()
    assert (start.agent == Renderer(200, 200).frame(scene)).all()
    # The arrow points along the heading of 90 degrees, which is right.
    ahead, behind = top_view().project([(14, 0.5, 8), (10, 0.5, 8)], 200, 200).astype(int)
    unmarked = np.asarray(Image.fromarray(Renderer(400, 400).frame(scene, top_view())).reduce(2))
    marked = (start.above != unmarked).any(axis=2)
    assert marked[ahead[1], ahead[0]]
    assert not marked[behind[1], behind[0]]
    assert 0.001 < marked.mean() < 0.02


@pytest.mark.parametrize("size", [None, 200])
def test_the_command_draws_one_task(command, tmp_path, monkeypatch, size):
    monkeypatch.chdir(tmp_path)
    result = command("show", "01-01-01", *(["--size", size] if size else []))
    assert result == (0, "Picture: 01-01-01.png\n", "")
    picture = decode((tmp_path / "01-01-01.png").read_bytes())
    assert (picture == np.asarray(task_picture(task_named("01-01-01"), 0, size or 512))).all()
