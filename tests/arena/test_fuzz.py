"""Whatever a task file holds, it loads and plays, or is refused in a sentence that says where and why."""

import re
from pathlib import Path
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from arena import ACTIONS, ArenaError, ArenaFile, ConfigError, Episode, LayoutError, load, load_text
from arena.taskfile.config import KEYS, MAX_METRES, ArenaSpec, Item, Vector3
from tests.arena.strategies import OLD_KINDS, documents, examples, models
from tests.conftest import SHARED
from tests.fuzz.mutations import mutated

ROOT = Path(__file__).parents[2]
FOLDERS = [ROOT / "testbed" / "levels", SHARED / "reference" / "official-testbed"]
FILES = [path for folder in FOLDERS for path in sorted(folder.rglob("*.yaml"))]


@st.composite
def broken_files(draw: st.DrawFn) -> bytes:
    """A real task file with up to four changes."""
    return mutated(draw(st.sampled_from(FILES)).read_bytes(), draw(st.randoms(use_true_random=False)))


def play(file: ArenaFile, seed: int = 0) -> None:
    """A few steps of every arena of a file."""
    for arena_id, spec in file.arenas.items():
        try:
            episode = Episode(spec, task_id=f"arena {arena_id}", seed=seed)
        except LayoutError as error:
            refusal = str(error)
            known = r"the agent cannot be placed|no free place for|unknown object|the merged arena has"
            assert re.match(rf"arena {arena_id}: ({known})", refusal), refusal
            continue
        with episode:
            assert 0 <= episode.yaw < 360
            for action in ACTIONS[::4]:
                if not episode.done:
                    episode.step(action)


def at_height(y: float) -> ArenaFile:
    """One of each kind, high up."""
    names = ["Agent", *OLD_KINDS]
    places = [Vector3(x=2.0 + 6 * (i % 7), y=y, z=2.0 + 6 * (i // 7)) for i in range(len(names))]
    items = tuple(Item(name=name, positions=(place,)) for name, place in zip(names, places, strict=True))
    return ArenaFile(arenas={0: ArenaSpec(items=items)})


def written(file: ArenaFile) -> dict[str, Any]:
    """What a file's text says; the version and the following arena are not in it."""
    shown = file.model_dump(include=set(KEYS["ArenaConfig"].values()))
    for arena in shown["arenas"].values():
        del arena["version"], arena["then"]
    return shown


@examples(0.5)
@given(models(ArenaFile), st.data())
def test_a_written_file_reads_back_as_the_same_arena(file, data):
    text = data.draw(documents(file))
    # Version 4 refuses blackouts beyond the time limit.
    dark = [arena for arena in file.arenas.values() if arena.time_limit and arena.blackouts]
    assume(all(arena.blackouts[-1] <= arena.time_limit for arena in dark))
    assert written(load_text(text, version="4")) == written(file)


@examples(0.5)
@example(at_height(MAX_METRES), 0)
@given(models(ArenaFile), st.integers())
def test_any_valid_file_plays_or_has_no_place_for_the_agent(file, seed):
    play(file, seed)


@examples(1)
@given(broken_files())
def test_a_broken_file_is_refused_in_words_or_plays(data):
    try:
        text = data.decode("utf-8-sig")
        file = load_text(text, "task.yaml")
    except UnicodeDecodeError:
        return
    except ConfigError as error:
        for line in str(error).splitlines():
            assert re.match(r"task.yaml:\d+: .*\w|\.\.\. and \d+ more$", line), line
    else:
        play(file)


@examples(0.3)
@given(broken_files() | st.binary(max_size=200))
def test_any_bytes_on_disk_load_or_are_an_arena_error(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "fuzzed.yaml"
    path.write_bytes(data)
    refusal = str(path)
    try:
        load(path)
    except ArenaError as error:
        refusal = str(error)
    assert refusal.startswith(str(path))
