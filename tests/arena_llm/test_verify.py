"""`arena-llm verify`: real logs, changed in one place each with Inspect's own means."""

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ContentImage

from arena_llm.verify import Verdict, find_sources, verify
from arena_llm.verify.options import Options
from llm_control.evaluate import Request, evaluate
from render import decode, png

TASK = """!ArenaConfig
arenas:
  0: !Arena
    pass_mark: 0
    t: 250
    items:
    - !Item
      name: Agent
      positions: [!Vector3 {{x: 20, y: 0, z: 10}}]
      rotations: [{yaw}]
    - !Item
      name: GoodGoal
      positions: [!Vector3 {{x: 20, y: 0, z: 24}}]
      sizes: [!Vector3 {{x: 1, y: 1, z: 1}}]
"""


@pytest.fixture(scope="module")
def battery(tmp_path_factory):
    folder = tmp_path_factory.mktemp("battery")
    for number, yaw in enumerate((100, 0), start=1):
        (folder / f"01-{number:02d}-01.yaml").write_text(TASK.format(yaw=yaw))
    return folder


@pytest.fixture(scope="module")
def log(battery, tmp_path_factory):
    """A log of arena/pixels: the first episode has several turns, the second one."""
    folder = tmp_path_factory.mktemp("logs")
    return evaluate(Request("arena/pixels", folder=battery), folder, display="none").log


def checked(path, **options):
    found = find_sources([path])
    return [verify(source, Options(**options)) for source in found.sources]


def changed(log, tmp_path, change):
    """A copy of the log in which `change` altered the first sample, or the log where it takes it."""
    whole = read_eval_log(str(log), resolve_attachments=True)
    change(first_of(whole), whole)
    path = tmp_path / "changed.eval"
    write_eval_log(whole, str(path))
    return path


def first_of(whole):
    return next(sample for sample in whole.samples if sample.id == "01-01-01")


def turn(sample, number=1):
    return sample.metadata["episode"]["turns"][number - 1]


def recording(sample):
    return sample.metadata["episode"]["recording"]


def test_an_untouched_log_agrees_to_the_bit_pictures_included(log):
    results = checked(log, frames=True)
    assert [each.verdict for each in results] == [Verdict.AGREES, Verdict.AGREES]
    assert results[0].turns > 2
    # Three pictures at the start, and one after each turn but the last.
    assert [each.pictures for each in results] == [each.turns + 2 for each in results]
    assert all(each.passed and not each.versions and not each.notes for each in results)


def test_a_demonstration_and_another_protocol_are_verified_too(battery, tmp_path):
    choices = {
        "demonstration": True,
        "max_scripts": 2,
        "strict": True,
        "seed": 5,
        "trials": 2,
        "grayscale": True,
    }
    request = Request("arena/random", folder=battery, choices=choices)
    results = checked(evaluate(request, tmp_path, display="none").log, frames=True)
    assert [each.verdict for each in results] == [Verdict.AGREES] * 4
    assert [each.trial for each in results] == [0, 1, 0, 1]
    assert all(each.pictures > each.turns + 2 for each in results)


def put(where, key, value):
    where[key] = value


CHANGES = {
    "turn's reward": (lambda s: put(turn(s, 2), "reward", turn(s, 2)["reward"] + 1e-9), (2, "reward")),
    "total reward": (lambda s: put(turn(s), "total_reward", 0.5), (1, "total_reward")),
    "health": (lambda s: put(turn(s), "health", turn(s)["health"] - 1e-6), (1, "health")),
    "position": (lambda s: put(turn(s)["position"], 0, 20.000001), (1, "position")),
    "yaw": (lambda s: put(turn(s), "yaw", 0.5), (1, "yaw")),
    "speed": (lambda s: put(turn(s), "speed", 9.0), (1, "speed")),
    "lights": (lambda s: put(turn(s), "lights", False), (1, "lights")),
    "an added event": (
        lambda s: turn(s)["events"].append(
            {"tick": 9, "kind": "good goal", "thing": 0, "name": "GoodGoal", "reward": 1.0}
        ),
        (1, "events"),
    ),
    "a removed event": (lambda s: turn(s, 0)["events"].clear(), None),
    "steps of a turn": (lambda s: put(turn(s), "steps", turn(s)["steps"] + 1), (1, "actions")),
    "a thought": (lambda s: put(turn(s), "thoughts", ["I see nothing."]), (1, "thoughts")),
    "a repair": (lambda s: put(turn(s), "repairs", ["mended"]), (1, "repairs")),
    "an error": (lambda s: put(turn(s), "error", "not a script"), (1, "actions")),
    "a reply": (lambda s: put(turn(s), "reply", "Turn(72);"), (1, "thoughts")),
    "a message": (lambda s: put(s.messages[2].__dict__, "content", "Turn(72);"), (1, "reply")),
    "an action": (lambda s: put(recording(s)["actions"], 1, [2, recording(s)["actions"][1][1]]), (1, "yaw")),
    "the recorded total": (lambda s: put(recording(s), "total_reward", 0.9), (None, "total_reward")),
    "the recorded health": (lambda s: put(recording(s), "health", 99.0), (None, "health")),
    "the outcome": (lambda s: put(recording(s), "outcome", "health gone"), (None, "outcome")),
    "the verdict": (lambda s: put(recording(s), "passed", False), (None, "passed")),
    "the score": (lambda s: put(s.scores["pass_mark"].__dict__, "value", 0.0), (None, "score pass_mark")),
    "the score's facts": (
        lambda s: put(s.scores["pass_mark"].metadata, "turns", 1),
        (None, "score pass_mark: turns"),
    ),
    "the seed": (lambda s: put(recording(s), "seed", 3), (None, "seed")),
    "the trial": (lambda s: put(recording(s), "trial", 1), (None, "trial")),
    "a turn left out": (lambda s: s.metadata["episode"]["turns"].pop(), (None, "score pass_mark: turns")),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_found_where_it_is(name, log, tmp_path):
    change, expected = CHANGES[name]
    path = changed(log, tmp_path, lambda sample, _: change(sample))
    first, second = checked(path)
    assert first.verdict is Verdict.DIFFERS
    found = {(finding.turn, finding.what) for finding in first.findings}
    assert (expected or (first.turns, "events")) in found
    assert second.verdict is Verdict.AGREES


def test_a_changed_value_is_the_only_finding(log, tmp_path):
    path = changed(log, tmp_path, lambda s, _: put(turn(s, 2), "health", 12.5))
    (finding,) = checked(path)[0].findings
    honest = turn(first_of(read_eval_log(str(log))), 2)["health"]
    assert (finding.turn, finding.what, finding.logged, finding.replayed) == (2, "health", 12.5, honest)


@pytest.mark.parametrize(
    "change",
    [
        lambda s: turn(s).pop("reply"),
        lambda s: put(turn(s), "steps", -1),
        lambda s: put(turn(s), "thoughts", None),
        lambda s: s.metadata["episode"].pop("turns"),
        lambda s: put(recording(s), "actions", [[77, 1]]),
        lambda s: put(recording(s), "task_id", "01-09-09"),
    ],
)
def test_a_broken_episode_is_no_crash_and_no_agreement(change, log, tmp_path):
    path = changed(log, tmp_path, lambda sample, _: change(sample))
    first, second = checked(path)
    assert first.verdict in (Verdict.UNVERIFIED, Verdict.DIFFERS)
    assert second.verdict is Verdict.AGREES


def images(sample):
    return [
        (message.content, number)
        for message in sample.messages
        if not isinstance(message.content, str)
        for number, part in enumerate(message.content)
        if part.type == "image"
    ]


def other_pixel(sample, _):
    content, number = images(sample)[3]
    frame = decode(base64.b64decode(content[number].image.partition(",")[2])).copy()
    frame[10, 20, 1] ^= 1
    content[number] = ContentImage(image="data:image/png;base64," + base64.b64encode(png(frame)).decode())


def no_picture(sample, _):
    content, number = images(sample)[3]
    del content[number]


def broken_picture(sample, _):
    content, number = images(sample)[3]
    content[number] = ContentImage(image="data:image/png;base64,aGVsbG8=")


def smaller_picture(sample, _):
    content, number = images(sample)[3]
    small = png(np.zeros((64, 64, 3), np.uint8))
    content[number] = ContentImage(image="data:image/png;base64," + base64.b64encode(small).decode())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (other_pixel, "1 pixels differ, by up to 1"),
        (broken_picture, "no picture"),
        (smaller_picture, "64 x 64"),
        (no_picture, ""),
    ],
)
def test_a_changed_picture_is_found_only_with_frames(change, told, log, tmp_path):
    path = changed(log, tmp_path, change)
    assert all(each.verdict is Verdict.AGREES for each in checked(path))
    first, second = checked(path, frames=True)
    assert (first.verdict, second.verdict) == (Verdict.DIFFERS, Verdict.AGREES)
    assert (first.findings[0].turn, first.findings[0].what) == (2, "picture")
    assert told in str(first.findings[0].logged)


def test_a_picture_by_another_renderer_is_said_to_be_so(log, tmp_path):
    def change(sample, whole):
        sample.metadata["drawn_by"] = "GeForce"
        other_pixel(sample, whole)

    first = checked(changed(log, tmp_path, change), frames=True)[0]
    assert first.verdict is Verdict.OTHER_SOFTWARE
    assert "pictures by GeForce, here " in first.versions[0]


def test_another_version_is_named_and_differences_are_to_be_expected(log, tmp_path, command):
    def change(sample, _):
        recording(sample)["versions"]["bullet"] = "1"
        turn(sample)["health"] = 3.0

    path = changed(log, tmp_path, change)
    assert checked(path)[0].verdict is Verdict.OTHER_SOFTWARE
    result = command("verify", path, "--jobs", 1)
    assert result.returncode == 1
    assert "bullet 1, here " in result.stdout
    assert "differences are to be expected" in result.stderr
    same = command(
        "verify", changed(log, tmp_path, lambda s, _: put(recording(s)["versions"], "bullet", "1"))
    )
    assert same.returncode == 0
    assert "bullet 1, here " in same.stdout


def test_an_arena_that_changed_on_disk_is_played_from_the_log_and_told(log, battery, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(battery, other)
    path = other / "01-01-01.yaml"
    path.write_text(path.read_text().replace("z: 24", "z: 30"))
    first, second = checked(log, testbed=other)
    assert (first.verdict, second.verdict) == (Verdict.AGREES, Verdict.AGREES)
    assert first.notes
    assert not second.notes

    def change(sample, whole):
        for step in whole.plan.steps:
            step.params.pop("tasks", None)

    first, second = checked(changed(log, tmp_path, change), testbed=other)
    assert (first.verdict, second.verdict) == (Verdict.UNVERIFIED, Verdict.AGREES)
    assert "not the arena of the recording" in first.problem


def test_an_unknown_choice_of_the_protocol_leaves_pictures_out(log, tmp_path):
    def change(_, whole):
        whole.plan.steps[0].params["protocol"]["fisheye"] = 2

    first = checked(changed(log, tmp_path, change), frames=True)[0]
    assert (first.verdict, first.pictures) == (Verdict.AGREES, 0)
    assert "fisheye=2" in first.notes[0]


def test_an_unfinished_episode_is_neither_right_nor_wrong(log, tmp_path, command):
    path = changed(log, tmp_path, lambda sample, _: sample.metadata.pop("episode"))
    assert checked(path)[0].verdict is Verdict.UNFINISHED
    result = command("verify", path, "--jobs", 1)
    assert (result.returncode, result.stderr) == (0, "")
    assert "1 of 2 episodes: not finished" in result.stdout


def test_the_logs_own_pass_rate_is_checked(log, tmp_path, command):
    def change(_, whole):
        whole.results.scores[0].metrics["pass_rate"].value = 0.5

    result = command("verify", changed(log, tmp_path, change), "--jobs", 1)
    assert result.returncode == 1
    assert "pass rate" in result.stdout
    assert "the pass rate of 1 logs is not as logged" in result.stderr


def test_a_folder_of_logs_and_recordings_in_several_processes(log, battery, tmp_path, command):
    folder = tmp_path / "all"
    (folder / "deep").mkdir(parents=True)
    shutil.copy(log, folder / "deep" / "run.eval")
    (folder / "other.json").write_text("{}")
    scripts = tmp_path / "scripts.txt"
    scripts.write_text("Go(5);\n")
    kept = folder / "kept.json"
    played = command("run", "01-01-01", "--scripts", scripts, "--recording", kept)
    out = tmp_path / "new" / "found.json"
    result = command("verify", folder, log, "--jobs", 2, "--json", out)
    assert (result.returncode, result.stderr) == (0, "")
    assert "5 of 5 episodes: agrees" in result.stdout
    assert "1 JSON files" in result.stdout
    assert json.loads(out.read_text())["verdicts"] == {"agrees": 5}
    plain = json.loads(kept.read_text())
    assert plain["steps"] == json.loads(played.stdout.splitlines()[-1])["steps"] + 49
    kept.write_text(json.dumps({**plain, "health": 50.0}))
    result = command("verify", kept, log, "--jobs", 1, "--json", out)
    assert result.returncode == 1
    assert "1 of 3 episodes are not as logged" in result.stderr
    episode = json.loads(out.read_text())["episodes"][0]
    assert episode["findings"][0] == {
        "turn": None,
        "what": "health",
        "logged": 50.0,
        "replayed": plain["health"],
    }


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 cut", b"{}"])
def test_what_is_no_log_is_an_error_of_one_line(content, tmp_path, command):
    path = tmp_path / "bad.eval"
    if content is not None:
        path.write_bytes(content)
    result = command("verify", path)
    assert result.returncode == 1
    assert str(path) in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_empty_folder_is_an_error(tmp_path, command):
    assert "nothing to verify" in command("verify", tmp_path).stderr


def test_ctrl_c_ends_at_once_with_one_line(log, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(40):
        shutil.copy(log, folder / f"{number}.eval")
    program = [sys.executable, "-m", "arena_llm", "verify", str(folder), "--jobs", "2", "--frames"]
    with subprocess.Popen(program, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        time.sleep(8)
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.strip().splitlines()[-1].startswith("Stopped after")
    assert "Traceback" not in told
