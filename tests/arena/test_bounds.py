"""What an arena holds is bounded, so that no file makes steps that take seconds."""

import pytest

from arena import IDLE, Episode, LayoutError
from arena.geometry.layout import MAX_BLOCKED, MAX_GROWING, MAX_THINGS
from tests.arena.worlds import agent, episode, item, play


def orchard(trees: int, ripening: float) -> Episode:
    """Trees that give a fruit in each tick, 2 s after the start."""
    every = ", ".join(["0.02"] * trees)
    keys = f"timesBetweenSpawns: [{every}], ripenTimes: [{', '.join([str(ripening)] * trees)}]"
    places = [f"{3 + 4 * (i % 9)} 0 {3 + 4 * (i // 9)}" for i in range(trees)]
    return episode(agent("39 0 39"), item("SpawnerTree", *places, more=keys), t=0)


def present(playing: Episode) -> list[int]:
    return playing._stage.world.things.present()


def test_trees_wait_while_the_arena_is_full():
    with orchard(50, 0) as playing:
        play(playing, steps=45)
        assert len(present(playing)) == MAX_THINGS
        for eaten in present(playing)[60:63]:
            playing._stage.world.remove(eaten)
        playing.step(IDLE)
        assert len(present(playing)) == MAX_THINGS


def test_trees_wait_while_many_fruits_ripen():
    with orchard(10, 0.4) as playing:
        seen = []
        for _ in range(46):
            playing.step(IDLE)
            seen.append(len(playing._stage.unripe))
        assert max(seen) == MAX_GROWING
        # Ripe ones have made room for others.
        assert len(present(playing)) > 10 + MAX_GROWING


def test_a_zone_fills_an_arena_and_no_more():
    shown = "!Item {name: HotZone, positions: [" + ", ".join(["!Vector3 {x: 20, z: 30}"] * 1500) + "]}"
    toggle = f"operations: [!toggleObject {{objectInitiallyPresent: true, spawnable: {shown}}}]"
    zone = item("DataZone", "20 0 20", sizes="1 1 1", more=toggle)
    with episode(agent(), zone, version="4") as playing:
        assert len(present(playing)) == MAX_THINGS
        playing.step(IDLE)


@pytest.mark.parametrize(
    ("name", "most", "said"),
    [
        ("UBlock", MAX_BLOCKED, "no free place for 101 objects"),
        ("GrowGoal", MAX_GROWING, "got 101 or more balls"),
    ],
)
def test_more_than_an_arena_takes_is_refused(name, most, said):
    places = ["20 0 5"] * most if name == "UBlock" else [f"-1 0 {i % 40}" for i in range(most)]
    with episode(agent(), item(name, *places)) as playing:
        playing.step(IDLE)
    with pytest.raises(LayoutError, match=said):
        episode(agent(), item(name, *places, places[0]))
