"""Single pictures of the original beside ours."""

import json

import numpy as np
import pytest

from arena import IDLE, Episode, RecordingError, load
from arena_llm.fidelity.pictures import SEED, compare_frames, compare_stills
from render import Renderer, decode, png
from tests.arena.worlds import agent, arena_text, item


@pytest.fixture
def folder(tmp_path):
    """Pictures of a tree, and of a zone that cannot be seen, as 4.2 and later draw them."""
    for name, more in (("SpawnerTree", ""), ("DataZone", "zoneVisibility: false")):
        path = tmp_path / f"{name}.yml"
        thing = item(name, "20 0 16", rotations="0", sizes="2 2 2", more=more)
        path.write_text(arena_text(agent("20 0 10"), thing, t=0))
        with Episode(load(path, "4").arenas[0], task_id=name, seed=SEED) as episode:
            episode.step(IDLE)
            (tmp_path / f"{name}.png").write_bytes(png(Renderer(128, 128).frame(episode.scene())))
    return tmp_path


def test_our_own_pictures_agree_in_everything(folder, command):
    written = ("--json", folder / "f.json", "--sheet", folder / "s.png")
    assert "within 24 levels" in command("fidelity", "--stills", folder, *written).succeeded()
    zone, tree = json.loads((folder / "f.json").read_text())
    assert (tree["name"], tree["same"], tree["near"], tree["silhouette"]) == ("SpawnerTree", 1.0, 1.0, 1.0)
    assert (zone["name"], zone["same"], zone["silhouette"]) == ("DataZone", 1.0, None)
    assert decode((folder / "s.png").read_bytes()).shape == (128, 1024, 3)


def test_what_is_elsewhere_and_of_another_colour_is_noticed(folder):
    picture = decode((folder / "SpawnerTree.png").read_bytes())
    (folder / "SpawnerTree.png").write_bytes(png(np.roll(picture, 10, axis=1)))
    _, tree = compare_stills(folder, "4")
    assert 0.1 < tree.silhouette < 0.9
    assert tree.pair.match.same < 0.98
    assert tree.pair.match.near < 0.98


def test_near_is_within_24_levels_of_every_channel():
    one = np.full((10, 10, 3), 100, np.uint8)
    other = one.copy()
    other[:5, :, 1] += 24
    other[:2, :, 1] += 1
    assert compare_frames("one", one, other).near == pytest.approx(0.8)


def test_without_a_picture_of_the_empty_arena_there_are_no_outlines(folder):
    (folder / "DataZone.png").unlink()
    (tree,) = compare_stills(folder, "4")
    assert (tree.silhouette, tree.pair.match.same) == (None, 1.0)


def test_a_folder_without_pictures_and_a_broken_picture_are_named(folder, tmp_path):
    (folder / "DataZone.png").write_bytes(b"no picture")
    with pytest.raises(RecordingError, match=r"DataZone\.png: not a picture"):
        compare_stills(folder, "4")
    with pytest.raises(RecordingError, match="no pictures NAME"):
        compare_stills(tmp_path / "nowhere", "4")


@pytest.mark.parametrize("words", [(), ("--trace", "a", "--stills", "b")])
def test_a_recording_or_pictures_are_needed(words, command):
    assert "expected one of them" in command("fidelity", *words).sentence


def test_version_4_looks_like_the_pictures_of_43(unity_stills):
    found = {still.pair.match.name: still for still in compare_stills(unity_stills, "4")}
    assert len(found) == 33
    assert np.mean([still.pair.match.same for still in found.values()]) > 0.985
    outlines = {name: still.silhouette for name, still in found.items() if still.silhouette is not None}
    assert len(outlines) == 32
    assert np.mean(list(outlines.values())) > 0.97
    assert {name: iou for name, iou in outlines.items() if iou < 0.85} == {}
