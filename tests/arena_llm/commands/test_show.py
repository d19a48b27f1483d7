"""`arena-llm show`: one task as a figure, many on contact sheets."""

import os

import numpy as np
import pytest
from PIL import Image

from arena import Episode, load_text
from arena_llm.pictures.tasks import (
    PER_SHEET,
    Entry,
    StartViews,
    depends_on_seed,
    describe,
    find_files,
    plan_sheets,
    read_entries,
    task_picture,
)
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
    expected = task_picture(task_named("01-01-01"), 0, size or 512)
    assert (picture == np.asarray(expected)).all()


@pytest.fixture
def battery(tmp_path):
    folder = tmp_path / "battery"
    (folder / "sub").mkdir(parents=True)
    for name in ("01-01-01", "01-01-02", "02-01-01", "own"):
        (folder / f"{name}.yaml").write_text(text())
    (folder / "sub" / "02-01-02.yaml").write_text("arenas:\n  0: !Arena\n    tt: 3\n")
    (folder / "02-01-03.yaml").write_bytes(b"\xff\xfe")
    many = "positions: [" + ", ".join(["!Vector3 {x: 1, y: 0, z: 1}"] * 1001) + "]"
    (folder / "02-01-04.yaml").write_text(text().replace("positions: [!Vector3 {x: 28, y: 0, z: 30}]", many))
    return folder


def test_a_sheet_shows_every_task_and_counts_the_broken_ones(command, battery, tmp_path):
    out = tmp_path / "new" / "sheet.png"
    result = command("show", "--testbed", battery, "--out", out, "--size", 64)
    assert result.returncode == 1
    assert result.stdout == f"Sheet: {out} (7 tasks)\n"
    errors = result.stderr.splitlines()
    assert errors[0] == "arena-llm: 3 of 7 tasks have no picture:"
    assert [line.split(":")[0].strip() for line in errors[1:]] == ["02-01-02", "02-01-03", "02-01-04"]
    assert "unknown key 'tt'" in errors[1]
    assert "not UTF-8" in errors[2]
    assert "got 1002 objects" in errors[3]
    assert os.listdir(out.parent) == ["sheet.png"]
    with Image.open(out) as page:
        assert page.width > 6 * 2 * 64


def test_levels_choose_what_is_on_a_sheet(command, battery, tmp_path):
    out = tmp_path / "one.png"
    result = command("show", "--testbed", battery, "--levels", "1", "--out", out, "--size", 64)
    assert result == (0, f"Sheet: {out} (2 tasks)\n", "")
    with Image.open(out) as page:
        assert page.width < 4 * 2 * 64


def test_a_file_of_several_arenas_has_a_tile_for_each(tmp_path):
    path = tmp_path / "pair.yaml"
    path.write_text("arenas: {0: {items: []}, 1: {items: []}}")
    assert [entry.name for entry in read_entries(path, "3.1.3")] == ["pair", "pair#1"]


def test_many_tasks_are_put_on_a_sheet_for_each_level_and_pages(tmp_path):
    entries = [Entry(f"{level}-{k}", level, None) for level, n in [(0, 2), (3, 200)] for k in range(n)]
    sheets = plan_sheets(entries, tmp_path / "s.png", "all")
    assert [sheet.path.name for sheet in sheets] == ["s-00.png", "s-03-1.png", "s-03-2.png", "s-03-3.png"]
    assert [len(sheet.entries) for sheet in sheets] == [2, PER_SHEET, PER_SHEET, 200 - 2 * PER_SHEET]
    assert [entry for sheet in sheets for entry in sheet.entries] == entries
    assert sheets[2].title == "Level 3: Static Obstacles (200 tasks, page 2 of 3)"


def test_the_official_battery_has_a_sheet_for_each_level(official_testbed, tmp_path):
    paths = find_files(official_testbed, None)
    entries = [entry for path in paths[::10] for entry in read_entries(path, "3.1.3")]
    assert all(entry.task for entry in entries)
    sheets = plan_sheets([entry for entry in entries for _ in range(10)], tmp_path / "s.png", "official")
    assert [sheet.entries[0].level for sheet in sheets] == list(range(1, 11))


MISTAKES = [
    (["show"], "nothing to show"),
    (["show", "01-01-99"], "no task '01-01-99'"),
    (["show", "absent.yaml"], "absent.yaml: cannot be read"),
    (["show", "01-01-01", "--out", "x.jpg"], "expected a name in .png"),
    (["show", "01-01-01", "--out", "/proc/none/x.png"], "cannot be written"),
    (["show", "01-01-01", "--size", "20"], "--size: got 20, expected 192 to 1024"),
    (["show", "01-01-01", "--levels", "1"], "--levels chooses the tasks of a sheet"),
    (["show", "--levels", "9-15"], "expected levels between 1 and"),
    (["show", "--levels", "x"], "levels: got 'x'"),
    (["show", "--testbed", "/nowhere"], "no such folder"),
    (["show", "--levels", "1", "--size", "512"], "--size: got 512, expected 64 to 320"),
    (["show", "--levels", "1", "--animal-ai", "5"], "--animal-ai: got '5'"),
]


@pytest.mark.parametrize(("arguments", "words"), MISTAKES, ids=[words for _, words in MISTAKES])
def test_a_mistake_is_one_sentence_and_leaves_nothing(command, arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert words in command(*arguments).sentence
    assert list(tmp_path.iterdir()) == []
