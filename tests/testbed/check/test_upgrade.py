import pytest

from arena import ConfigError, load_text
from arena.taskfile.catalog import ALIASES
from testbed.check.text import Change, upgrade_file, upgrade_text

TEXT = """# t: a comment with Cardbox1 é 😀
!ArenaConfig
arenas:
  0: !Arena
    %s:   250   # t
    '%s' : 1
    ? %s
    : 3
    items:
    - !Item {name:  "%s", positions: [!Vector3 {x: 1, y: 0, z: 2}]}
    - &block
      name: &word %s # UObject
    - *block
    - {name: *word}
    - !Item {name: GoodGoal}
"""
CHANGES = (
    Change(5, "t", "timeLimit"),
    Change(6, "pass_mark", "passMark"),
    Change(7, "random_seed", "randomSeed"),
    Change(10, "Cardbox1", "LightBlock"),
    Change(12, "UObject", "UBlock"),
)
OLD = TEXT % tuple(change.old for change in CHANGES)
NEW = TEXT % tuple(change.new for change in CHANGES)


def current(text):
    """What a text means, each object under its current name."""
    return {
        key: arena.model_dump()
        | {"items": [i.model_dump() | {"name": ALIASES.get(i.name, i.name)} for i in arena.items]}
        for key, arena in load_text(text).arenas.items()
    }


def test_words_are_replaced_and_nothing_else():
    assert upgrade_text(OLD) == (NEW, CHANGES)
    assert upgrade_text(NEW) == (NEW, ())
    assert current(OLD) == current(NEW)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_byte_order_mark_and_line_ends_stay(mark, end, tmp_path):
    path = tmp_path / "task.yaml"
    path.write_bytes(mark + OLD.replace("\n", end).encode())
    assert upgrade_file(path) == CHANGES
    assert path.read_bytes() == mark + NEW.replace("\n", end).encode()


def test_a_file_that_needs_nothing_is_not_written(tmp_path):
    path = tmp_path / "task.yaml"
    path.write_text(NEW, encoding="utf-8")
    before = path.stat().st_mtime_ns
    assert upgrade_file(path) == ()
    assert path.stat().st_mtime_ns == before


def test_a_word_written_with_escapes_is_left():
    text = 'arenas: {0: {"\\x74": 250, pass_mark: 0}}'
    upgraded, changes = upgrade_text(text)
    assert upgraded == text.replace("pass_mark", "passMark")
    assert len(changes) == 1


def test_what_does_not_load_is_not_touched():
    with pytest.raises(ConfigError, match="unknown key 'tt'"):
        upgrade_text("arenas: {0: {tt: 3}}")


def test_official_files_mean_the_same_afterwards(official_testbed):
    paths = sorted(official_testbed.glob("*.yaml"))[::30]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        upgraded, changes = upgrade_text(text)
        assert len(changes) >= 2
        assert current(upgraded) == current(text)
        assert upgrade_text(upgraded) == (upgraded, ())
        assert len(upgraded.splitlines()) == len(text.splitlines())
