"""What a sign board shows: names, grids, and what of them is random."""

import re

import numpy as np
import pytest

from arena import load_text
from arena.geometry.layout import resolve
from arena.taskfile.symbols import DEFAULT, MOST_CELLS, PRESETS, is_symbol, resolved
from tests.arena.worlds import episode, item, spec
from tests.command import printed_by


def board(*symbols, places=("20 0 20",), more=""):
    names = ", ".join(f'"{symbol}"' for symbol in symbols)
    return item("SignBoard", *places, rotations="0", sizes="1 1 1", more=f"symbolNames: [{names}]{more}")


def symbols(*items, seed=0):
    return [placed.symbol for placed in resolve(spec(*items), seed, "test").things]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_and_fixed_grids_stay(name):
    rng = np.random.default_rng(0)
    assert is_symbol(name)
    assert resolved(name, rng) == name
    assert resolved("01/10", rng) == "01/10"
    assert rng.integers(1000) == np.random.default_rng(0).integers(1000), "nothing was drawn"


def test_a_joker_is_black_or_white_and_the_rest_stays():
    shown = {resolved("0*1/1*0", np.random.default_rng(seed)) for seed in range(40)}
    assert shown == {"001/100", "011/100", "001/110", "011/110"}


def test_a_size_is_columns_by_rows_up_to_the_largest():
    rows = resolved("13x11", np.random.default_rng(0)).split("/")
    assert [len(row) for row in rows] == [13] * 11
    assert set("".join(rows)) == {"0", "1"}
    assert is_symbol(f"{MOST_CELLS}x{MOST_CELLS}")
    assert is_symbol("/".join(["01" * (MOST_CELLS // 2)] * MOST_CELLS))


NO_SIZES = ("0x5", "5x0", "5X3", "65x1")
NO_GRIDS = ("01/1", "01//10", "012", "0" * 65, "0/" * 64 + "0")


@pytest.mark.parametrize("name", ["", "lft-arrow", "Circle", *NO_SIZES, *NO_GRIDS])
def test_what_is_no_symbol_is_the_default_one(name):
    assert not is_symbol(name)
    assert resolved(name, np.random.default_rng(0)) == DEFAULT


def test_each_board_has_its_own_entry_those_without_and_blocked_ones_the_default_and_walls_none():
    boards = board("tick", "circle", places=("10 0 10", "20 0 20", "30 0 30"))
    wall = item("Wall", "5 0 30", rotations="0", sizes="5 5 5", colors="0 0 0", more="symbolNames: [tick]")
    blocked = board("tick", places=("5 0 30",))
    assert symbols(boards, wall, blocked) == ["tick", "circle", DEFAULT, "", DEFAULT]


def test_the_seed_decides_alone():
    assert symbols(board("9x9"), seed=3) == symbols(board("9x9"), seed=3) != symbols(board("9x9"), seed=4)
    program = "from tests.arena.test_symbols import *; print(symbols(board('9x9'), seed=3)[0])"
    assert printed_by(program).strip() == symbols(board("9x9"), seed=3)[0]


def test_a_board_without_random_pixels_moves_nothing():
    wall = item("Wall")
    at = [
        resolve(spec(board(name), wall), 1, "test").things[1].position
        for name in ("tick", "01/10", "nonsense")
    ]
    assert at[0] == at[1] == at[2]


def test_the_scene_has_the_symbol_its_tint_and_the_version():
    tinted = item(
        "SignBoard", "20 0 20", rotations="0", sizes="1 1 1", colors="255 0 0", more="symbolNames: [star]"
    )
    for version in ("3.1.3", "4"):
        scene = episode(tinted, version=version).scene()
        assert (scene.things[0].symbol, scene.things[0].color) == ("star", (1.0, 0.0, 0.0))
        assert scene.version == version


def test_an_unknown_symbol_is_a_warning_with_its_line_and_the_names():
    text = (
        "!ArenaConfig\narenas:\n  0: !Arena\n    t: 250\n    pass_mark: 0\n    items:\n    - !Item\n"
        "      name: SignPosterboard\n      symbolNames:\n      - tick\n      - tock\n"
    )
    (warning,) = load_text(text, "task.yaml").warnings
    assert re.match(r"task\.yaml:11: .*symbolNames\[1\]: got the symbol 'tock'", warning)
    assert all(name in warning for name in PRESETS)
    things = resolve(load_text(text).arenas[0], 0, "test").things
    assert [placed.symbol for placed in things] == ["tick", DEFAULT]
