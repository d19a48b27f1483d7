"""EST's pictures: a detector without learning reads every object off them, and whether the machine is lit.

The detector knows the places and the table without objects. It finds an object by its colour relative to the
table there, compares its outline with those of the three shapes, and takes the hue and the highlights inside.
"""

import colorsys
from functools import cache

import numpy as np
import pytest
from scipy import ndimage

from render import RenderError
from suites.est.picture import Table
from suites.est.world import COLORS, MATERIALS, OBJECTS, RGB, SHAPES, THINGS, Thing, appearances

SMALL, LARGE = (160, 120), (512, 512)
HUES = {color: colorsys.rgb_to_hsv(*rgb)[0] for color, rgb in RGB.items() if color != "gray"}


@cache
def table(size):
    return Table(*size)


@cache
def empty(size, lit):
    return table(size).picture([], [], lit)


def panel(j):
    """The nine objects of a panel; in 48 panels each of the 48 objects is once at every place."""
    return [THINGS[(j + 5 * k) % 48] for k in range(OBJECTS)]


def outline(size, frame, k, on, lit):
    """The crop where object k is, and its mask: what is no shadow, which darkens all channels alike."""
    left, top, right, bottom = table(size).box(k, on)
    crop = frame[top:bottom, left:right].astype(float)
    ratio = (crop + 8) / (empty(size, lit)[top:bottom, left:right] + 8.0)
    other = (ratio.max(axis=2) > 1.22 * ratio.min(axis=2)) | (ratio.mean(axis=2) < 0.55)
    across = size[0] // 55  # of a highlight, which may look like the table
    closed = ndimage.binary_closing(np.pad(other, across), iterations=across)[across:-across, across:-across]
    parts, _ = ndimage.label(closed)
    largest = parts == np.argmax(np.bincount(parts.ravel())[1:]) + 1
    return crop, ndimage.binary_fill_holes(largest)


@cache
def outlines(size, k, on, lit):
    """The masks of the three shapes at a place, taken from objects of red rubber."""
    frames = [_alike(size, shape, on, lit) for shape in SHAPES]
    return [outline(size, frame, k, on, lit)[1] for frame in frames]


@cache
def _alike(size, shape, on, lit):
    return table(size).picture([Thing(shape, "rubber", "red")] * OBJECTS, [on] * OBJECTS, lit)


def detected(size, frame, k, on, lit):
    crop, mask = outline(size, frame, k, on, lit)
    overlap = [(mask & known).sum() / (mask | known).sum() for known in outlines(size, k, on, lit)]
    inside, middle = (crop[ndimage.binary_erosion(mask, iterations=n)] for n in (1, max(2, size[0] // 80)))
    saturations = 1 - inside.min(axis=1) / inside.max(axis=1)
    strongest = inside[saturations >= np.median(saturations)]  # a highlight has none
    hue, saturation, _ = colorsys.rgb_to_hsv(*np.median(strongest, axis=0))
    nearest = min(HUES, key=lambda color: abs((hue - HUES[color] + 0.5) % 1 - 0.5))
    shiny = np.quantile(middle.min(axis=1), 0.98) > 130
    color = nearest if saturation > 0.35 else "gray"
    return Thing(SHAPES[int(np.argmax(overlap))], MATERIALS[0 if shiny else 1], color)


def wrong(size, j, on, lit):
    """The objects of a panel that are read wrongly; their material counts only in large pictures."""
    things = panel(j)
    frame = table(size).picture(things, on, lit)
    for k, thing in enumerate(things):
        found = detected(size, frame, k, on[k], lit)
        if size == SMALL:
            found = found._replace(material=thing.material)
        if found != thing:
            yield f"{thing} at {k} {'on' if on[k] else 'off'}, {'lit' if lit else 'dark'}: {found}"


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["160x120", "512x512"])
def test_every_object_is_read_off_the_picture_on_and_off_the_machine(size):
    found, seen = [], set()
    for j in range(0, 48, 6):
        for swap in (False, True):
            on, lit = [(k % 2 == 0) != swap for k in range(OBJECTS)], (j // 6) % 2 == 0
            found += wrong(size, j, on, lit)
            seen |= {(thing, on[k]) for k, thing in enumerate(panel(j))}
    assert len(seen) == 2 * 48
    assert found == []


def test_the_machine_is_lit_or_not():
    """Its top is dark bluish glass, or shines; the picture alone shows which, with all objects on it too."""
    for size in (SMALL, LARGE):
        left, top, _, bottom = table(size).box(4, True)
        for on in (False, True):
            frames = [table(size).picture(panel(7), [on] * OBJECTS, lit) for lit in (False, True)]
            shine = [np.median(frame[top : bottom + 2, left - 2 : left]) for frame in frames]
            assert shine[0] < 130
            assert shine[1] > 240


def test_no_object_hides_another():
    """Each object's pixels, found by changing its colour, touch those of no other object."""
    for on in ([True] * OBJECTS, [False] * OBJECTS, [k % 2 == 0 for k in range(OBJECTS)]):
        before = [Thing("cube", "rubber", "red")] * OBJECTS
        frame = table(LARGE).picture(before, on, False).astype(int)
        owners = np.zeros(frame.shape[:2], int)
        for k in range(OBJECTS):
            things = [*before[:k], Thing("cube", "rubber", "cyan"), *before[k + 1 :]]
            owners += np.abs(table(LARGE).picture(things, on, False) - frame).max(axis=2) > 20
        assert owners.max() == 1
        assert ndimage.label(owners)[1] == OBJECTS


def test_things_have_names():
    assert str(Thing("cube", "metal", "red")) == "red metal cube"
    assert len(set(THINGS)) == len(SHAPES) * len(MATERIALS) * len(COLORS) == 48


def test_an_episode_shows_nine_different_things_each_as_often_as_any_other():
    rng = np.random.default_rng(0)
    drawn = [appearances(rng) for _ in range(800)]
    assert all(len(set(things)) == OBJECTS for things in drawn)
    for place in range(OBJECTS):  # 16.7 of each are expected there
        counts = np.bincount([THINGS.index(things[place]) for things in drawn], minlength=48)
        assert 3 <= counts.min() <= counts.max() <= 38
    assert appearances(np.random.default_rng(0)) == drawn[0]


def test_a_panel_needs_a_place_for_each_of_nine_objects():
    with pytest.raises(RenderError, match="got 2 objects and 1 places"):
        table(SMALL).picture(panel(0)[:2], [True], False)
    with pytest.raises(RenderError, match="at most 9 objects"):
        table(SMALL).picture(THINGS[:10], [True] * 10, False)
    with pytest.raises(RenderError, match="expected 4 to 1024 pixels"):
        Table(160, 2000)
