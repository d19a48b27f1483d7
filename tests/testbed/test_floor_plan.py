import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from arena import EvaluationError
from arena.geometry.layout import resolve
from arena.geometry.placed import Layout
from arena.geometry.shapes import ARENA_SIZE
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Shape
from testbed.check import Options, check_files
from testbed.floor_plan import SIZE, add_path, floor_plan, to_pixels, write_svg
from tests.arena.worlds import agent, item, spec

SVG = "{http://www.w3.org/2000/svg}"


def layout(*items: str, version: str = "3.1.3") -> Layout:
    return resolve(spec(*items, version=version), 0, "test")


def drawn(*items: str, version: str = "3.1.3") -> ElementTree.Element:
    return ElementTree.fromstring(
        ElementTree.tostring(floor_plan(layout(*items, version=version), "a <title>"))
    )


def things(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [element for element in root.iter() if element.get("class") == "thing"]


def place(element: ElementTree.Element) -> tuple[float, float]:
    x, y = re.findall(r"translate\((\S+) (\S+)\)", element.get("transform", ""))[0]
    return (float(x), float(y))


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if not kind.internal])
def test_every_kind_is_one_shape(name):
    """A dispenser or container has a door as well, a machine a lamp, a meter segments."""
    shapes = things(drawn(item(name, "20 0 20", rotations="30"), version="4"))
    titles = {shape.findtext(SVG + "title", "").split()[0]: shape for shape in shapes}
    parts = {Shape.HOUSE: {"Door"}, "Machine": {"LitLamp", "DarkLamp"}, "Meter": {"Segment"}}
    assert set(titles) == {name} | parts.get(name, parts.get(KINDS[name].shape, set()))
    shape = titles[name]
    assert shape.tag == SVG + ("circle" if KINDS[name].is_goal else "path")


def test_z_is_up_x_is_right_and_yaw_clockwise():
    root = drawn(agent("30 0 10", yaw=90), item("GoodGoal", "10 0 30", sizes="2 2 2"))
    (goal,) = things(root)
    (driver,) = [element for element in root.iter() if element.get("class") == "agent"]
    metre = float(goal.get("r", "0")) / 0.999
    assert place(driver)[0] - place(goal)[0] == pytest.approx(20 * metre, abs=0.02)
    assert place(driver)[1] - place(goal)[1] == pytest.approx(20 * metre, abs=0.02)
    assert driver.get("transform", "").endswith("rotate(90.00)")
    assert driver.findall(SVG + "path")[0].get("d", "").startswith(f"M 0.00 0.00 L 0.00 {-2 * metre:.2f}")


def test_the_arena_fits_the_picture():
    corners = [place(shape) for shape in things(drawn(item("GoodGoal", "1 0 1", "39 0 39")))]
    metre = (corners[1][0] - corners[0][0]) / 38
    assert 0.8 * SIZE < metre * ARENA_SIZE < SIZE
    assert all(0 < value < SIZE for corner in corners for value in corner)


def test_goals_have_the_colours_of_their_worth():
    good, multi, bad = (
        tuple(int(shape.get("fill", "")[k : k + 2], 16) for k in (1, 3, 5))
        for name in ("GoodGoal", "GoodGoalMulti", "BadGoal")
        for shape in things(drawn(item(name, "20 0 20")))
    )
    assert good[1] == max(good)
    assert min(multi[:2]) > 1.5 * multi[2]
    assert bad[0] == max(bad) > 1.5 * bad[1]


def test_walls_keep_their_colour_glass_is_an_outline_and_zones_let_the_floor_through():
    (wall,) = things(drawn(item("Wall", "20 0 20", colors="255 0 16")))
    (glass,) = things(drawn(item("WallTransparent", "20 0 20")))
    (zone,) = things(drawn(item("DeathZone", "20 0 20")))
    assert wall.get("fill") == "#ff0010"
    assert glass.get("fill") == "none"
    assert float(zone.get("fill-opacity", "1")) < 0.5


def test_what_is_above_is_drawn_later_and_goals_last():
    low = item("Wall", "20 0 20", rotations="0", sizes="5 1 5")
    high = item("LightBlock", "20 1 20", rotations="0", sizes="1 1 1")
    zone = item("DeathZone", "20 0 20", rotations="0")
    goal = item("GoodGoal", "5 0 5")
    names = [s.findtext(SVG + "title", "").split()[0] for s in things(drawn(goal, high, low, zone))]
    assert names == ["DeathZone", "Wall", "LightBlock", "GoodGoal"]


def test_a_blocked_object_is_marked():
    walls = things(
        drawn(item("Wall", "20 0 20", "20 0 20", rotations="0, 0", sizes="1 1 1;1 1 1", colors="0 0 0;0 0 0"))
    )
    marked = [wall.findtext(SVG + "title", "").endswith("(blocked)") for wall in walls]
    assert sorted(marked) == [False, True]


def test_the_title_is_kept_whatever_it_holds():
    assert "a <title>" in [element.text for element in drawn().iter(SVG + "text")]


def test_plans_keep_the_folders_and_number_further_arenas(tmp_path: Path):
    source = tmp_path / "tasks" / "sub" / "two.yaml"
    source.parent.mkdir(parents=True)
    source.write_text("arenas: {0: {}, 5: {}}")
    out = tmp_path / "plans"
    list(check_files(tmp_path / "tasks", [source], Options(svg=out)))
    names = sorted(str(path.relative_to(out)) for path in out.rglob("*.svg"))
    assert names == ["sub/two#1.svg", "sub/two.svg"]
    assert ElementTree.parse(out / "sub" / "two.svg").getroot().tag == SVG + "svg"


def test_a_plan_that_cannot_be_written_is_one_sentence(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EvaluationError, match="cannot be written"):
        write_svg(floor_plan(layout(), "title"), tmp_path / "file" / "plan.svg")


def test_a_path_leads_from_a_ring_to_a_square():
    root = floor_plan(layout(agent("20 0 5")), "path")
    add_path(root, [(20, 0.5, 5), (20, 0.5, 5), (20, 0.5, 15), (30, 0.5, 15)])
    line = root.findall("polyline")[-1].get("points")
    places = [tuple(map(float, point.split(","))) for point in line.split()]
    expected = [to_pixels(place) for place in ((20, 0, 5), (20, 0, 15), (30, 0, 15))]
    assert sum(places, ()) == pytest.approx(sum(expected, ()), abs=0.06)
    ring, square = root.findall("circle")[-1], root.findall("rect")[-1]
    assert (float(ring.get("cx")), float(ring.get("cy"))) == pytest.approx(places[0], abs=0.06)
    assert (float(square.get("x")) + 11, float(square.get("y")) + 11) == pytest.approx(places[-1], abs=0.06)
