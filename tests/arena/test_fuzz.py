"""Whatever a task file holds, it loads and plays, or is refused in a sentence that says where and why."""

import re
from pathlib import Path
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from arena import ACTIONS, ArenaError, ArenaFile, ConfigError, Episode, LayoutError, load, load_text
from arena.taskfile.catalog import ALIASES, KINDS
from arena.taskfile.config import KEYS, MAX_METRES, ArenaSpec, Item, Vector3
from tests.arena.strategies import OLD_KINDS, documents, examples, models
from tests.conftest import SHARED

ROOT = Path(__file__).parents[2]
FOLDERS = [ROOT / "testbed" / "levels", SHARED / "reference" / "official-testbed"]
FILES = [path for folder in FOLDERS for path in sorted(folder.rglob("*.yaml"))]

NUMBERS = [
    "nan", ".nan", "inf", "-.inf", "1e400", "-1", "0", "-0.0", "1e308", "1e-320", "9" * 20, "0x10", "'1'",
    "1:30", "~", "!!int",
]  # fmt: skip
WORDS = ["Agent", "wall", "x", *KEYS, *KINDS, *ALIASES, *(key for table in KEYS.values() for key in table)]
SNIPPETS = [
    b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\r\n", b"\t", b"\x85", b"\xe2\x80\xa8", b"%YAML 9.9\n---\n",
    b"---\n", b"...\n", b"&a ", b"*a", b"<<: *a\n", b"!!python/object/apply:os.system ['true']", b"? ",
    b"[" * 3000, b"{a: " * 3000, b"- " * 3000, b"'", b'"', b"|\n", b">9\n", b"#", b"@",
    b"`", b"\xf0\x9f\x90\xbc",
]  # fmt: skip

numbers = st.sampled_from(NUMBERS) | st.floats().map(repr) | st.integers().map(str)


@st.composite
def mutations(draw: st.DrawFn, data: bytes) -> bytes:
    """One change to a file, of the kinds that slips, editors and broken disks make."""
    lines = data.splitlines(keepends=True) or [b""]
    here, there = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    byte = draw(st.integers(0, max(len(data) - 1, 0)))
    change = draw(st.integers(0, 10))
    if change == 0:
        return data[:byte] + draw(st.binary(min_size=1, max_size=3)) + data[byte + 1 :]
    if change == 1:
        return data[:byte]
    if change == 2:
        del lines[here]
    elif change == 3:
        lines.insert(there, lines[here])
    elif change == 4:
        lines[here], lines[there] = lines[there], lines[here]
    elif change == 5:
        lines[here] = re.sub(rb"-?\d[\d.]*", draw(numbers).encode(), lines[here])
    elif change == 6:
        lines[here] = re.sub(rb"[A-Za-z_]\w*", draw(st.sampled_from(WORDS)).encode(), lines[here], count=1)
    elif change == 7:
        lines[here] = b" " * draw(st.integers(0, 12)) + lines[here].lstrip()
    elif change == 8:
        return data.replace(
            *draw(st.sampled_from([(b"\n", b"\r\n"), (b"  ", b"\t"), (b"!", b"!!"), (b": ", b":")]))
        )
    else:
        return data[:byte] + draw(st.sampled_from(SNIPPETS)) + data[byte:]
    return b"".join(lines)


@st.composite
def broken_files(draw: st.DrawFn) -> bytes:
    """A real task file with up to four changes."""
    data = draw(st.sampled_from(FILES)).read_bytes()
    for _ in range(draw(st.integers(1, 4))):
        data = draw(mutations(data))
    return data


def play(file: ArenaFile, seed: int = 0) -> None:
    """A few steps of every arena of a file."""
    for arena_id, spec in file.arenas.items():
        try:
            episode = Episode(spec, task_id=f"arena {arena_id}", seed=seed)
        except LayoutError as error:
            refusal = str(error)
            known = r"the agent cannot be placed|unknown object|the merged arena has"
            assert re.match(rf"arena {arena_id}: ({known})", refusal), refusal
            continue
        with episode:
            assert 0 <= episode.yaw < 360
            for action in ACTIONS[::4]:
                if not episode.done:
                    episode.step(action)


def assert_says_where(error: ConfigError, source: str) -> None:
    for line in str(error).splitlines():
        assert re.match(rf"{re.escape(source)}:\d+: .*\w|\.\.\. and \d+ more$", line), line


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
    assume(
        all(
            not a.time_limit or not a.blackouts or a.blackouts[-1] <= a.time_limit
            for a in file.arenas.values()
        )
    )
    again = load_text(text, version="4")
    assert written(again) == written(file)


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
        assert_says_where(error, "task.yaml")
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
