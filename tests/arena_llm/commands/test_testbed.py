"""`arena-llm testbed generate`, `verify` and `atlas` as a user meets them."""

import csv
import shutil

import pytest

from testbed.proof import solutions
from testbed.proof.prove import SPLIT_FILE, HiddenSplit, commitment, whole
from testbed.tasks import find_tasks
from tests.command import interrupted, run, start


def generate(out, *arguments):
    jobs = () if "--jobs" in arguments else ("--jobs", 1)
    return run("testbed", "generate", "--levels", 1, "--out", out, *jobs, *arguments)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Four fresh tasks of level 1; not to be changed."""
    out = tmp_path_factory.mktemp("drawn") / "new"
    assert generate(out, "--count", 4, "--seed", 3).succeeded().startswith(f"4 tasks in {out}, all solved")
    return out


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_fresh_tasks_are_files_with_proofs_and_demands(drawn):
    tasks = find_tasks(folder=drawn)
    assert [task.id for task in tasks] == [f"01-{number:02d}-0001" for number in (1, 2, 3, 4)]
    assert {task.level for task in tasks} == {1}
    proofs = solutions.read(drawn)
    assert all(solutions.verify(task, proofs[task.id]).problem == "" for task in tasks)
    with (drawn / "demands.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["task"] for row in rows] == [task.id for task in tasks]
    for row in rows:
        assert float(row["reward"]) > float(row["pass_mark"])
        assert float(row["way"]) > 0.8 * float(row["distance"]) - 1.5
        assert int(row["steps"]) == proofs[row["task"]].solution.steps


def test_the_same_command_draws_the_same_bytes_in_any_number_of_processes(drawn, tmp_path):
    assert generate(tmp_path, "--count", 4, "--seed", 3, "--jobs", 2).returncode == 0
    assert contents(tmp_path) == contents(drawn)


def test_a_hidden_split_is_the_battery_again_from_a_secret_seed(tmp_path):
    """It can be continued without naming the seed, and drawn again by whoever is given it."""
    result = generate(tmp_path / "split", "--hidden", "--count", 2).succeeded()
    split = HiddenSplit.model_validate_json((tmp_path / "split" / SPLIT_FILE).read_bytes())
    assert split.seed.bit_length() > 64
    assert f"SHA-256 of the seed: {commitment(split.seed)}" in result
    assert str(split.seed) not in result
    before = contents(tmp_path / "split")
    assert generate(tmp_path / "split", "--hidden", "--count", 2).returncode == 0
    assert contents(tmp_path / "split") == before
    assert generate(tmp_path / "again", "--seed", split.seed, "--count", 2).returncode == 0
    drawn = contents(tmp_path / "again")
    assert drawn == {name: content for name, content in before.items() if name != SPLIT_FILE}
    assert "has another seed" in generate(tmp_path / "split", "--hidden", "--seed", 5).stderr
    assert whole(tuple(range(1, 11)), None) == 900


def test_only_paradigms_of_one_difficulty(tmp_path):
    assert generate(tmp_path, "--count", 3, "--seed", 3, "--difficulty", 3).returncode == 0
    texts = [text for name, text in contents(tmp_path).items() if name.endswith(".yaml")]
    assert len(texts) == 3
    assert all(b"# Difficulty: 3 of 3\n" in text for text in texts)


def test_what_is_there_is_kept(drawn, tmp_path):
    shutil.copytree(drawn, tmp_path, dirs_exist_ok=True)
    level = tmp_path / "01_food_retrieval"
    (level / "01-03-0001.yaml").unlink()
    stamps = {path: path.stat().st_mtime_ns for path in level.glob("*.yaml")}
    assert generate(tmp_path, "--count", 4, "--seed", 3).returncode == 0
    assert contents(tmp_path) == contents(drawn)
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in stamps.items())


def test_other_files_in_the_folder_are_not_overwritten(tmp_path):
    generate(tmp_path, "--count", 2, "--seed", 3)
    before = contents(tmp_path)
    assert "to another order" in generate(tmp_path, "--count", 2, "--seed", 4).sentence
    path = tmp_path / "01_food_retrieval" / "01-01-0001.yaml"
    path.write_text(path.read_text().replace("t: 250", "t: 500"))
    assert f"{path}: this version draws a different" in generate(tmp_path, "--count", 2, "--seed", 3).sentence
    assert contents(tmp_path).keys() == before.keys()


def test_ctrl_c_keeps_a_beginning_and_the_same_command_goes_on(tmp_path):
    drawn = ("--levels", 1, "--count", 60, "--seed", 3)
    started = start("testbed", "generate", *drawn, "--out", tmp_path, "--jobs", 2)
    assert interrupted(started, lambda: len(list(tmp_path.rglob("*.yaml"))) >= 3).startswith("Stopped with ")
    kept = len(solutions.read(tmp_path))
    # A task's file is written before its solution.
    assert 2 <= kept < 60
    assert len(list(tmp_path.rglob("*.yaml"))) - kept in (0, 1)


def test_verify_finds_what_is_wrong(drawn, tmp_path, command):
    shutil.copytree(drawn, tmp_path, dirs_exist_ok=True)
    good = command("testbed", "verify", "--testbed", tmp_path, "--jobs", 1)
    assert (good.returncode, good.stdout.splitlines()[-1][:6]) == (0, "4 of 4")
    level = tmp_path / "01_food_retrieval"
    path = level / "01-01-0001.yaml"
    path.write_text(path.read_text().replace("pass_mark: 1", "pass_mark: 1.5"))
    lines = (level / solutions.FILE).read_text().splitlines()
    second = lines[1].replace('"total_reward":0.', '"total_reward":0.1', 1)
    (level / solutions.FILE).write_text("\n".join([lines[0], second, lines[2]]) + "\n")
    bad = command("testbed", "verify", "--testbed", tmp_path, "--jobs", 1)
    printed = bad.stdout.splitlines()
    assert bad.returncode == 1
    assert printed[0] == "01-01-0001: solution: it was made in a different arena from the task's"
    assert printed[1].startswith("01-02-0001: solution: total reward ")
    assert printed[2] == "01-04-0001: there is no solution"
    assert printed[3].startswith("1 of 4 tasks are proven")
    (level / solutions.FILE).write_text("{}\n")
    broken = command("testbed", "verify", "--testbed", tmp_path, "--jobs", 1).sentence
    assert f"{level / solutions.FILE}:1: not a solution" in broken


def test_the_atlas_shows_every_task(drawn, tmp_path):
    run("testbed", "atlas", "--testbed", drawn, "--out", tmp_path).succeeded()
    page = (tmp_path / "index.html").read_text()
    for task in find_tasks(folder=drawn):
        assert f'id="{task.id}"' in page
        assert "<polyline" in (tmp_path / "plans" / f"{task.id}.svg").read_text().replace("ns0:", "")
        assert (tmp_path / "views" / f"{task.id}.webp").stat().st_size > 500
