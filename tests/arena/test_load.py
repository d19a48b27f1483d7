import pytest

from arena import ConfigError, load, load_text
from arena.taskfile.nodes import scalar
from tests.arena.worlds import agent, episode, item
from tests.cases import cases

CASES = cases(__file__)

GOOD = """!ArenaConfig
arenas:
  0: !Arena
    pass_mark: 0.5
    t: 250
    blackouts: [15, 60]
    items:
    - !Item
      name: Cardbox2
      positions:
      - !Vector3 {x: 1, y: 0, z: 2.5}
      colors:
      rotations: [90]
"""


def test_negative_and_taken_arena_numbers_become_the_next_free_ones():
    text = "arenas:\n  -1: {t: 1}\n  0: {t: 2}\n  7: {t: 3}\n  -3: {t: 4}\n"
    file = load_text(text)
    assert {number: arena.time_limit for number, arena in file.arenas.items()} == {0: 1, 1: 2, 7: 3, 2: 4}
    assert file.warnings[0] == "<text>:2: arenas.-1: counts as arena 0"
    # A key without a value counts as missing, also above the arenas.
    assert load_text("randomizeArenas:\n" + text).arenas == file.arenas
    with pytest.raises(ConfigError, match=r":3: arenas.-1: duplicate key"):
        load_text("arenas:\n  -1: {t: 1}\n  -1: {t: 2}\n")


UNKNOWN = """arenas:
  0:
    items:
    - name: Spoon
      sizes: [{x: 1, y: 1, z: 1}]
    - name: GoodGoal
      sizes: [{x: 1, y: 1, z: wide}]
"""


def test_a_lenient_reader_ignores_unknown_objects_and_says_so():
    fine = UNKNOWN.replace("wide", "1")
    with pytest.raises(ConfigError, match=r":4: .*unknown object 'Spoon'"):
        load_text(fine)
    file = load_text(fine, lenient=True)
    assert [item.name for item in file.arenas[0].items] == ["GoodGoal"]
    assert "<text>:4: arenas.0.items[0].name: unknown object 'Spoon', ignored" in file.warnings
    with pytest.raises(ConfigError, match=r":7: arenas.0.items\[1\].sizes\[0\].z: got 'wide'"):
        load_text(UNKNOWN, lenient=True)
    zone = UNKNOWN.replace("wide", "1").replace("Spoon", "DataZone")
    assert len(load_text(zone, lenient=True).arenas[0].items) == 1
    assert len(load_text(zone, version="4", lenient=True).arenas[0].items) == 2


def test_a_lenient_reader_ignores_what_operations_and_buttons_cannot_spawn():
    shown = "operation: !toggleObject {spawnable: !Item {name: %s}}"
    drawn = f"!limitedInvocationsOperation {{maxInvocations: 2, {shown}}}"
    listed = f"{drawn % 'Blob'}, {drawn % 'Wall'}, !grantReward {{reward: 2}}"
    zone = f"{{name: DataZone, operations: [{listed}]}}"
    button = "{name: SpawnerButton, rewardNames: [Blub, GoodGoal], rewardWeights: [1, 3]}"
    file = load_text(
        f"arenas: {{0: {{items: [{{name: Bla}}, {zone}, {button}]}}}}", version="4", lenient=True
    )
    zoned, pressed = file.arenas[0].items
    first, second, third = zoned.operations
    assert (first.operation.type, second.operation.spawnable.name) == ("noneOperation", "Wall")
    assert third.reward == 2
    assert (pressed.reward_names, pressed.reward_weights) == (("GoodGoal",), (3,))
    for warning, name in zip(file.warnings, ("Bla", "Blob", "Blub"), strict=False):
        assert f"unknown object '{name}'" in warning


def test_blackouts_must_increase_only_since_4_2():
    text = "arenas: {0: {t: 100, pass_mark: 0, blackouts: [40, 20]}}"
    for version in ("2", "3.1.3", "4.1"):
        assert load_text(text, version=version).arenas[0].blackouts == (40, 20)
    with pytest.raises(ConfigError, match="expected increasing frames"):
        load_text(text, version="4")


def test_colours_may_be_vectors_in_version_2():
    wall = "!Item {name: Wall, colors: [!Vector3 {x: 10, y: 20, z: 30}]}"
    text = f"!ArenaConfig {{arenas: {{0: !Arena {{items: [{wall}]}}}}}}"
    (color,) = load_text(text, version="2").arenas[0].items[0].colors
    assert (color.r, color.g, color.b) == (10, 20, 30)
    for version in ("3.1.3", "4"):
        with pytest.raises(ConfigError, match="got tag !Vector3, expected !RGB"):
            load_text(text, version=version)


def test_a_data_zone_has_a_name_or_a_list_of_names():
    for written, name in (("Left", "Left"), ("[D1, D2]", "D1"), ("[]", ""), ("7", "7")):
        zone = item("DataZone", "20 0 20", more=f"triggerZoneID: {written}")
        with episode(agent(), zone, version="4") as run:
            assert run.layout.things[0].zone_name == name


def test_every_official_file_loads(official_testbed):
    files = sorted(official_testbed.glob("*.yaml"))
    assert len(files) == 900
    assert [path.stem for path in files if load(path).arenas[0].pass_mark is None] == ["10-22-02"]
    (warning,) = load(official_testbed / "10-22-02.yaml").warnings
    assert "10-22-02.yaml:3" in warning
    assert "no pass mark" in warning


def test_values_arrive_typed():
    arena = load_text(GOOD).arenas[0]
    assert (arena.time_limit, arena.pass_mark, arena.blackouts) == (250, 0.5, (15, 60))
    (block,) = arena.items
    assert (block.name, block.rotations, block.colors) == ("Cardbox2", (90,), ())
    assert (block.positions[0].x, block.positions[0].z) == (1, 2.5)


@pytest.mark.parametrize(("old", "new"), [("t", "timeLimit"), ("pass_mark", "passMark")])
def test_both_spellings_mean_the_same(old, new):
    assert load_text(GOOD.replace(f"    {old}:", f"    {new}:")).arenas == load_text(GOOD).arenas


@pytest.mark.parametrize(("change", "line", "words"), CASES["errors"])
def test_an_error_says_where_and_what(change, line, words):
    with pytest.raises(ConfigError) as error:
        load_text(GOOD.replace(*change), "task.yaml")
    message = str(error.value)
    assert message.startswith(f"task.yaml:{line}: "), message
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    "text",
    [
        *("", "5", "- 1", "arenas:", "arenas: {}", "arenas: [1]", "a: &a [*a]"),
        "!!python/object/apply:os.system ['true']",
    ],
)
def test_what_is_no_task_file_is_refused(text):
    with pytest.raises(ConfigError):
        load_text(text)


def test_aliases_cannot_blow_up():
    text = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
    items = "".join(f"      {line}\n" for line in text.splitlines())
    with pytest.raises(ConfigError):
        load_text("arenas:\n  0:\n    items:\n" + items)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: None, "cannot be read"),
        (lambda p: p.mkdir(), "cannot be read"),
        (lambda p: p.write_bytes(b"\xff\xfe\xfa"), "not UTF-8"),
    ],
)
def test_an_unreadable_file_is_one_sentence(tmp_path, make, words):
    path = tmp_path / "task.yaml"
    make(path)
    with pytest.raises(ConfigError, match=words):
        load(path)


@pytest.mark.parametrize(
    ("text", "value"),
    [("010", 10), ("1:30", "1:30"), ("yes", "yes"), ("1e3", 1000.0), (".5", 0.5), ("+3", 3), ("~", None)],
)
def test_scalars_are_read_as_the_original_does(text, value):
    assert scalar(text) == value
    assert type(scalar(text)) is type(value)


@pytest.mark.parametrize("y", ["1e6", "1.5e154", "-1e9"])
def test_a_coordinate_without_bounds_is_refused(y):
    with pytest.raises(ConfigError, match=r"t.yaml:1: arenas.0.items\[0\].positions\[0\].y: got .*100000"):
        load_text(f"arenas: {{0: {{items: [{{name: GoodGoal, positions: [{{y: {y}}}]}}]}}}}", "t.yaml")
