"""Every code: a tiny file that has it, and its neighbour that has not."""

import multiprocessing
from pathlib import Path

import pytest

from arena import ArenaError
from arena.taskfile.catalog import KINDS
from arena.taskfile.versions import Version
from testbed.check import CODES, Level, Options, check_file, check_files, task_files
from testbed.check.reach import TOP_SPEED, driven, ticks_to_drive
from testbed.tasks import LEVELS_FOLDER
from tests.arena.worlds import agent, item

START = agent("20 0 5")
BALL = item("GoodGoal", "20 0 10", rotations="0", sizes="1 1 1")
HIGH_WALL = item("Wall", "30 2 30", rotations="0", sizes="4 1 1", colors="0 0 0")
POST = item("Wall", "30 0 30", rotations="0", sizes="1 2 1", colors="0 0 0")
SHELF = item("Wall", "20 0 25.5", rotations="0", sizes="39.8 2 27", colors="0 0 0")
LARGE_BLOCK = item("LightBlock", "-1 0 -1", rotations="0", sizes="10 1 10")


def text(*items: str, marks: str = "timeLimit: 250, passMark: 0") -> str:
    keys = "".join(f"    {mark}\n" for mark in marks.split(", "))
    return f"!ArenaConfig\narenas:\n  0: !Arena\n{keys}    items:\n" + "".join(f"    - {i}\n" for i in items)


def arena(*items: str, marks: str = "timeLimit: 250, passMark: 0") -> str:
    return text(START, BALL, *items, marks=marks)


def walls(*places: str) -> str:
    return item(
        "Wall",
        *places,
        rotations=", ".join("0" for _ in places),
        sizes=";".join("1 1 1" for _ in places),
        colors=";".join("0 0 0" for _ in places),
    )


TREE = item("SpawnerTree", "30 0 30", more="timesBetweenSpawns: [0.02], ripenTimes: [0]")


def one(name: str, place: str = "30 0 30", sizes: str = "1 1 1", **more: str) -> str:
    return arena(item(name, place, rotations="0", sizes=sizes, **more))


def marked(time: object = 250, mark: object = 0, *more: str) -> str:
    return arena(marks=", ".join([f"timeLimit: {time}", f"passMark: {mark}", *more]))


def shut_in(goal: str) -> str:
    u_block = item("UBlock", "20 0 20", rotations="0", sizes="5 2 20")
    return text(START, item("GoodGoal", goal, sizes="0.5 0.5 0.5"), u_block)


def filled(width: int) -> str:
    return text(item("Wall", "20 0 20", rotations="0", sizes=f"{width} 9 40", colors="0 0 0"))


def two_blocks(rotations: str) -> str:
    return arena(item("LightBlock", "30 0 30", "35 0 30", rotations=rotations, sizes="1 1 1;1 1 1"))


RAMP = item("Ramp", "30 0 20", rotations="0", sizes="4 4 8", colors="0 0 0")
ON_RAMP, ON_FLOOR = (item("GoodGoalMulti", f"30 {y} 20", sizes="1 1 1") for y in (3, 0))

PAIRS = {
    "arena-number": (arena().replace("0: !Arena", "-1: !Arena"), arena()),
    "unknown-object": (arena(item("Spoon", "30 0 30")), arena()),
    "nothing-merged": (marked(250, 0, "mergeNextArena: true"), arena()),
    "too-many": (arena(walls(*["30 0 30"] * 102)), arena(walls(*["30 0 30"] * 101))),
    "grows": (arena(TREE), arena(TREE, marks="timeLimit: 210, passMark: 0")),
    "unreadable": (marked("soon"), arena()),
    "duplicate-key": (marked(250, 0, "pass_mark: 0"), arena()),
    "agent-blocked": (filled(40), filled(30)),
    "enclosed": (shut_in("31 0.5 18.5"), shut_in("26 0.5 18.5")),
    "unreachable-mark": (marked(250, 1), marked(250, 0.9)),
    "time-too-short": (marked(4), marked(5)),
    "blocked": (arena(walls("30 0 30", "30.5 0 30")), arena(walls("30 0 30", "31 0 30"))),
    "sometimes-blocked": (arena(SHELF, LARGE_BLOCK), arena(LARGE_BLOCK)),
    "unsupported": (arena(HIGH_WALL), arena(POST, HIGH_WALL)),
    "slides": (arena(RAMP, ON_RAMP), arena(ON_FLOOR)),
    "clamped-position": (arena(walls("41 0 30")), arena(walls("39 0 30"))),
    "outside": (arena(walls("40 0 30")), arena(walls("39.4 0 30"))),
    "clipped-size": (one("LightBlock", sizes="11 1 1"), one("LightBlock", sizes="10 1 1")),
    "ignored-key": (one("LightBlock", colors="1 2 3"), arena(walls("30 0 30"))),
    "unknown-symbol": tuple(one("SignBoard", more=f"symbolNames: [{name}]") for name in ("01/1", "01/1*")),
    "unequal-lists": (two_blocks("0"), two_blocks("0, 0")),
    "no-pass-mark": (arena(marks="timeLimit: 250"), arena()),
    "several-agents": (arena(agent("5 0 5")), arena()),
    "blackouts-ignored": (marked(250, 0, "blackouts: [-5,3]"), marked(250, 0, "blackouts: [-5]")),
    "blackouts-order": (marked(250, 0, "blackouts: [5,5]"), marked(250, 0, "blackouts: [5,6]")),
    "blackouts-late": (marked(250, 0, "blackouts: [5,251]"), marked(250, 0, "blackouts: [5,250]")),
    "agent-drops": (text(agent("20 1 5"), BALL), text(agent("20 0.1 5"), BALL)),
    "ignored-value": (one("DeathZone", "30 1 30"), one("DeathZone", "30 0 30")),
    "old-key": (arena(marks="t: 250, passMark: 0"), arena()),
    "old-name": (one("Cardbox1"), one("LightBlock")),
}
"""Per code: a file that has it, and one that has not."""

SHARED_NODE = """arenas:
  0:
    timeLimit: 250
    passMark: 0
    items:
    - {name: &word Cardbox1, skins: [*word], positions: [{x: 30, y: 0, z: 30}]}
"""
"""An anchor that serves as a name and as something else: no edit of one leaves the other."""


def found(tmp_path: Path, content: str, **options: object) -> dict[str, list[str]]:
    path = tmp_path / "task.yaml"
    path.write_text(content)
    report = check_file(path, Options(**options))
    codes: dict[str, list[str]] = {}
    for finding in report.findings:
        codes.setdefault(finding.code, []).append(f"{finding.line}: {finding.text}")
    return codes


@pytest.mark.parametrize("code", sorted(set(CODES) - {"not-upgraded"}))
def test_a_code_is_found_where_it_is_and_only_there(code, tmp_path):
    bad, good = PAIRS[code]
    of_4 = {"version": "4"} if code in ("nothing-merged", "enclosed") else {}
    options = {"lenient": True} if code == "unknown-object" else of_4
    assert code in found(tmp_path, bad, **options)
    assert code not in found(tmp_path, good, **options)


def test_what_cannot_be_upgraded_says_so_and_stays(tmp_path):
    assert "not-upgraded" in found(tmp_path, SHARED_NODE, upgrade=True)
    assert (tmp_path / "task.yaml").read_text() == SHARED_NODE
    assert "not-upgraded" not in found(tmp_path, SHARED_NODE.replace("*word", "panda"), upgrade=True)


def test_a_blocked_object_is_told_with_what_stands_there_and_its_lines(tmp_path):
    (said,) = found(tmp_path, PAIRS["blocked"][0])["blocked"]
    assert said.startswith("9: arenas.0.items[2].positions[1]: the place of Wall 2 of items[2] is taken by")
    assert said.endswith("Wall 1 of items[2] (line 9)")


@pytest.mark.parametrize("y", [0, -1])
@pytest.mark.parametrize(
    ("place", "there"), [("20 {} 5.5", "the agent"), ("39.8 {} 30", "the arena's boundary")]
)
def test_agent_and_boundary_are_in_the_way_too(place, there, y, tmp_path):
    (said,) = found(tmp_path, arena(walls(place.format(y))))["blocked"]
    assert said.endswith(f"is taken by {there}")


def test_a_long_list_of_obstacles_is_cut_short(tmp_path):
    row = walls(*(f"{x} 0 30" for x in (25, 27, 29, 31, 33)))
    beam = item("Wall", "29 0 30", rotations="0", sizes="12 1 0.5", colors="0 0 0")
    (said,) = found(tmp_path, arena(row, beam))["blocked"]
    assert said.endswith("Wall 3 of items[2] (line 9) and 2 more")


BEAM = item("Wall", "33 2 30", rotations="0", sizes="8 0.2 1", colors="0 0 0")


@pytest.mark.parametrize(
    ("items", "words"),
    [((POST, BEAM), "Wall"), ((item("GoodGoalMulti", "30 3 30", sizes="1 1 1"),), "sinks 3.02 m")],
)
def test_a_beam_on_one_post_tips_and_what_moves_falls(items, words, tmp_path):
    (said,) = found(tmp_path, arena(*items))["unsupported"]
    assert words in said


def test_sizes_say_what_was_got_and_what_is_used(tmp_path):
    both = item("LightBlock", "20 0 30", rotations="0", sizes="38 1 0.2")
    said = found(tmp_path, arena(both))["clipped-size"]
    assert ["got 38, used 10" in said[0], "got 0.2, used 0.5" in said[1], len(said)] == [True, True, 2]


def test_a_clean_arena_with_or_without_a_time_limit_has_no_findings(tmp_path):
    for clean in (arena(walls("30 0 30")), arena(marks="passMark: 0")):
        assert found(tmp_path, clean) == {}


def test_a_pass_mark_that_waiting_reaches_needs_no_time_for_a_goal(tmp_path):
    marks = "timeLimit: 4, passMark: {}"
    assert "time-too-short" in found(tmp_path, arena(marks=marks.format(-0.9)))
    assert found(tmp_path, arena(marks=marks.format(-1))) == {}


def test_multi_goals_add_up_and_of_the_others_the_largest_counts(tmp_path):
    multi = item("GoodGoalMulti", "30 0 10", "30 0 15", sizes="2 2 2;2 2 2")
    large = item("GoodGoal", "35 0 10", sizes="3 3 3")
    # 2 x 1.998 + 2.997 = 6.993, less the clock's share of the way to the nearest.
    assert "unreachable-mark" in found(tmp_path, arena(multi, large, marks="timeLimit: 250, passMark: 7"))
    assert found(tmp_path, arena(multi, large, marks="timeLimit: 250, passMark: 6.9")) == {}


def test_the_problems_of_a_broken_file_have_their_lines(tmp_path):
    broken = arena(marks="timeLimit: soon, passMark: high")
    assert [said.split(":")[0] for said in found(tmp_path, broken)["unreadable"]] == ["4", "5"]


def test_a_file_that_is_no_text_is_a_finding(tmp_path):
    path = tmp_path / "task.yaml"
    path.write_bytes(b"\xff\xfe\xfa")
    (finding,) = check_file(path, Options()).findings
    assert (finding.code, finding.line, finding.level) == ("unreadable", None, Level.ERROR)
    assert "not UTF-8" in finding.text


def test_driving_follows_the_closed_form():
    # By the rules of `TrainingAgent.cs`: 1, 10 and 35 steps of 3 ticks from rest.
    assert [round(driven(3 * steps), 3) for steps in (1, 10, 35)] == [0.100, 5.953, 40.431]
    assert round(TOP_SPEED, 2) == 26.69
    assert ticks_to_drive(5.953) in (30, 31)
    assert ticks_to_drive(-1) == 0


def test_growth_says_how_many_and_where(tmp_path):
    (said,) = found(tmp_path, PAIRS["grows"][0])["grows"]
    assert said.startswith("7: arenas.0.items: holds 2 objects and up to 1150 more can be added to it")
    (said,) = found(tmp_path, arena(TREE.replace("[0]", "[3]"), marks="timeLimit: 200, passMark: 0"))["grows"]
    assert "up to 150 fruits of trees could ripen at a time; at 100" in said


@pytest.mark.parametrize("seed", [0, 7])
def test_seeds_count_up_from_the_first(seed, tmp_path):
    codes = found(tmp_path, PAIRS["agent-blocked"][0], seed=seed)
    # With some of the seeds the wall finds no place and leaves one to the agent, so that they can be played.
    (said,) = codes["agent-blocked"] if seed == 0 else codes["sometimes-blocked"][:1]
    assert f"seeds tried: {seed}, {seed + 1}, {seed + 2}" in said


def test_every_arena_of_a_file_is_checked(tmp_path):
    two = "arenas:\n  0: {passMark: 0}\n  1: {timeLimit: 9}\n"
    assert found(tmp_path, two) == {
        "no-pass-mark": [
            "3: arenas.1: no pass mark; the task can be played but not passed or failed (unmarked)"
        ]
    }


def test_the_shipped_battery_has_no_errors():
    reports = check_files(LEVELS_FOLDER, task_files(LEVELS_FOLDER)[::19], Options())
    # Zones are written flat, as the original's are; goals that are to fall or roll are not held up.
    codes = {finding.code for report in reports for finding in report.findings}
    assert codes <= {"old-key", "clipped-size", "unsupported", "slides"}


def test_in_the_official_battery_six_files_have_blocked_objects(official_testbed):
    names = [f"06-{task:02d}-{k:02d}" for task in range(9, 15) for k in (1, 2, 3)]
    paths = [official_testbed / f"{name}.yaml" for name in names]
    reports = check_files(official_testbed, paths, Options())
    blocked = {r.path.stem for r in reports if any(f.code == "blocked" for f in r.findings)}
    assert sorted(blocked) == [name for name in names if name[:5] in ("06-11", "06-12")]


def test_an_official_mark_that_nobody_can_reach(official_testbed):
    report = check_file(official_testbed / "07-13-01.yaml", Options())
    (found,) = [finding for finding in report.findings if finding.code == "unreachable-mark"]
    # The task can be played.
    assert (found.level, found.line) == (Level.WARNING, 4)


@pytest.mark.e2e
def test_processes_keep_the_order_of_the_files(tmp_path):
    for number in range(6):
        (tmp_path / f"{number}.yaml").write_text(arena() if number % 2 else "arenas: [")
    paths = task_files(tmp_path)
    alone = list(check_files(tmp_path, paths, Options(), jobs=1))
    assert list(check_files(tmp_path, paths, Options(), jobs=2)) == alone
    assert [report.path.name for report in alone] == [f"{number}.yaml" for number in range(6)]
    assert [report.worst for report in alone] == [Level.ERROR, None] * 3


def test_a_process_that_dies_is_one_sentence(tmp_path):
    for number in range(40):
        (tmp_path / f"{number:02d}.yaml").write_text(arena())
    reports = check_files(tmp_path, task_files(tmp_path), Options(), jobs=2)
    next(reports)
    for child in multiprocessing.active_children():
        child.kill()
    with pytest.raises(ArenaError, match="died; find the file with --jobs 1"):
        list(reports)


def test_files_are_found_in_subfolders_by_both_endings(tmp_path):
    (tmp_path / "b").mkdir()
    for name in ("b/1.yml", "a.yaml", "c.txt"):
        (tmp_path / name).write_text(arena())
    assert [str(path.relative_to(tmp_path)) for path in task_files(tmp_path)] == ["a.yaml", "b/1.yml"]


@pytest.mark.parametrize("version", ["3.1.3", "4"])
@pytest.mark.parametrize("name", sorted(name for name, kind in KINDS.items() if not kind.internal))
def test_every_kind_can_be_checked(tmp_path, name, version):
    task = arena(item(name, "30 0 30", rotations="0")).replace("arenas:", "laboratory: true\narenas:")
    codes = found(tmp_path, task, version=version)
    absent = KINDS[name].new_in_4 and not Version(version).is_4
    errors = [code for code in codes if CODES[code].level is Level.ERROR]
    assert errors == (["unreadable"] if absent else [])


def test_several_agents_are_checked(tmp_path):
    assert "several-agents" not in found(tmp_path, arena(agent("9 0 5")), version="4")
