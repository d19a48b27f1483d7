"""`arena-llm replay`, and `run --recording` that it reads."""

import json
import os

import numpy as np
import pytest

from arena import FORWARD, TURN_RIGHT, Episode, Recording, RecordingError, Replay, load
from arena_llm.pictures.canvas import path_color
from arena_llm.pictures.film import Film, strip_height
from arena_llm.pictures.video import STEPS_PER_S
from arena_llm.replay import arena_of, find_recording
from render import Renderer, decode, top_view
from tests.arena.worlds import agent, arena_text, item
from tests.arena_llm.pictures.films import read_film
from tests.cases import cases
from tests.command import interrupted, start
from tests.llm_control.batteries import eval_request, evaluated

CASES = cases(__file__)

LANE = (agent("10 0 10"), item("GoodGoal", "10 0 30", sizes="1 1 1"))


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "lane.yaml"
    path.write_text(arena_text(*LANE, t=50, pass_mark="0.5"))
    return path


def record(task, path, actions, version="3.1.3"):
    """Play the actions of every step (one per agent) and store the recording; also the positions."""
    with Episode(load(task, version).arenas[0], task_id=task.stem, seed=3) as episode:
        places = [[state.position for state in episode.agents]]
        for step in actions:
            if episode.done:
                break
            episode.step_all(step)
            places.append([state.position for state in episode.agents])
        path.write_text(episode.recording().model_dump_json())
    return np.array(places)


@pytest.fixture
def drive(task, tmp_path):
    """A recording of 30 steps: ahead, with a slight turn to the right."""
    path = tmp_path / "drive.json"
    record(task, path, [(TURN_RIGHT,)] * 5 + [(FORWARD,)] * 25)
    return path


def test_a_played_episode_is_recorded_and_replayed_to_its_end(tmp_path, command):
    scripts, kept = tmp_path / "scripts.txt", tmp_path / "new" / "kept.json"
    log, again = tmp_path / "new" / "log.csv", tmp_path / "again.csv"
    scripts.write_text("Turn(30); Go(5);\nGo(40);\n")
    made = ("--recording", kept, "--csv", log)
    played = command("run", "01-01-01", "--scripts", scripts, "--seed", 7, *made)
    last = json.loads(played.stdout.splitlines()[-1])
    recording = Recording.read(kept)
    assert (recording.task_id, recording.seed) == ("01-01-01", 7)
    assert recording.total_reward == last["total_reward"]
    result = command("replay", kept, "--csv", again)
    assert log.read_text() == again.read_text()
    lines = log.read_text().splitlines()
    assert lines[0].startswith("Episode,Step,Health")
    ticks = int(lines[-2].split(",")[1])
    assert recording.steps * 3 - 3 < ticks <= recording.steps * 3
    assert f"CSV log: {again} ({ticks} ticks)" in result.stdout
    assert (result.returncode, result.stderr.strip()) == (0, "")
    assert f"01-01-01: {recording.steps} steps, reward {last['total_reward']:.3f}" in result.stdout
    assert "ends as the recording does" in result.stdout


def test_a_video_is_made_with_a_frame_for_each_step(task, drive, tmp_path, command):
    film = tmp_path / "films" / "drive.mp4"
    for _ in range(2):
        result = command("replay", drive, "--task", task, "--video", film, "--size", 200, "--hud").succeeded()
    assert f"{film} (31 frames, 1.9 s)" in result
    facts, read = read_film(film)
    assert len(read) == 31
    assert read[0].shape == (200 + strip_height(200), 200, 3)
    assert facts["fps"] == pytest.approx(STEPS_PER_S, abs=0.01)
    with Replay(Recording.read(drive), load(task).arenas[0]) as replay:
        picture = Renderer(200, 200).frame(replay.to_end().scene())
    assert np.abs(read[-1][:200].astype(int) - picture).mean() < 6
    assert os.listdir(film.parent) == ["drive.mp4"]


def test_stills_are_what_the_agent_saw_pixel_by_pixel(task, drive, tmp_path, command):
    folder = tmp_path / "stills"
    command("replay", drive, "--task", task, "--stills", folder, "--every", 20, "--size", 96).succeeded()
    assert sorted(os.listdir(folder)) == [f"step-{step:05d}.png" for step in (0, 20, 30)]
    renderer = Renderer(96, 96)
    with Replay(Recording.read(drive), load(task).arenas[0]) as replay:
        for moment in replay.moments():
            if moment.step in (0, 20, 30):
                still = decode((folder / f"step-{moment.step:05d}.png").read_bytes())
                assert (still == renderer.frame(moment.episode.scene())).all()


def test_the_strip_lies_under_the_picture_and_not_on_it(task, drive):
    recording = Recording.read(drive)
    with Replay(recording, load(task).arenas[0]) as replay:
        plain, with_hud = Film("behind", 256, steps=30), Film("behind", 256, steps=30, hud=True)
        for moment in replay.moments():
            with_strip = with_hud.frame(moment.episode)
            assert (with_strip[:256] == plain.frame(moment.episode)).all()
            assert with_strip.shape == (256 + strip_height(256), 256, 3)


def test_several_agents_have_paths_of_their_own(tmp_path):
    task, path = tmp_path / "two.yaml", tmp_path / "two.json"
    task.write_text(arena_text(*LANE, agent("30 0 10", 270), t=50))
    places = record(task, path, [(FORWARD, FORWARD)] * 20, "4")
    recording = Recording.read(path)
    made = [Film("top", 512, steps=recording.steps, agents=2, trail=trail) for trail in (True, False)]
    with Replay(recording, load(task, "4").arenas[0]) as replay:
        for moment in replay.moments():
            made[0].follow(moment.episode)
        drawn, bare = (film.frame(replay.episode) for film in made)
        assert replay.differences() == ()
    for number in (0, 1):
        ((column, row),) = top_view().project([places[12, number]], 512, 512)
        got = drawn[int(row), int(column)] / 255
        assert got == pytest.approx(path_color(12 / 20, number, 2), abs=0.08)
        assert (drawn[int(row), int(column)] != bare[int(row), int(column)]).any()
    # The arena's version is not in the recording; it is found by the arena's content.
    assert arena_of(recording, str(task)) == load(task, "4").arenas[0]


def test_a_stopped_episode_is_replayed_as_stopped(task, tmp_path):
    with Episode(load(task).arenas[0], task_id="lane") as episode:
        episode.step(FORWARD)
        episode.stop()
        recording = episode.recording()
    with Replay(recording, load(task).arenas[0]) as replay:
        assert len(list(replay.moments())) == 2
        assert replay.differences() == ()


@pytest.mark.parametrize(("change", "words"), CASES["changes"], ids=[words for _, words in CASES["changes"]])
def test_another_end_is_said_and_the_video_is_kept(task, drive, tmp_path, change, words, command):
    drive.write_text(json.dumps(json.loads(drive.read_text()) | change))
    film = tmp_path / "film.gif"
    result = command("replay", drive, "--task", task, "--video", film, "--size", 32)
    assert result.returncode == 1
    assert words in result.stderr.strip()
    assert film.exists()
    assert "ends as the recording does" not in result.stdout


@pytest.mark.parametrize(("change", "words"), CASES["broken"], ids=[words for _, words in CASES["broken"]])
def test_a_broken_recording_is_refused_with_the_field(task, drive, change, words):
    drive.write_text(json.dumps(json.loads(drive.read_text()) | change))
    with pytest.raises(RecordingError) as caught:
        Replay(Recording.read(drive), load(task).arenas[0])
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "words"), CASES["mistakes"], ids=[words for _, words in CASES["mistakes"]]
)
def test_a_mistake_leaves_nothing(arguments, words, task, drive, tmp_path, monkeypatch, command):
    cut, empty = tmp_path / "cut.eval", tmp_path / "empty"
    cut.write_bytes(b"PK\x03\x04")
    empty.mkdir()
    monkeypatch.chdir(empty)
    places = {"drive": drive, "task": task, "cut": cut, "empty": empty}
    assert words in command(*(argument.format(**places) for argument in arguments.split())).sentence
    assert list(empty.iterdir()) == []


def test_episodes_of_a_log_are_found_by_task_and_trial(task, tmp_path):
    request = eval_request("arena/random", folder=tmp_path, choices={"trials": 2, "max_scripts": 2})
    log = evaluated(request, tmp_path / "logs").log
    for trial in (0, 1):
        kept, folder = find_recording(log, "lane", trial)
        assert (kept.task_id, kept.trial) == ("lane", trial)
        assert folder == tmp_path
        with Replay(kept, arena_of(kept, folder=folder)) as replay:
            replay.to_end()
            assert replay.differences() == ()
    with pytest.raises(RecordingError, match=r"no --sample is given; the log has lane, lane \(trial 1\)"):
        find_recording(log)
    with pytest.raises(RecordingError, match="no trial 2 of lane"):
        find_recording(log, "lane", 2)


def test_ctrl_c_leaves_no_part_of_a_video(task, tmp_path):
    recording, film = tmp_path / "long.json", tmp_path / "films" / "long.mp4"
    task.write_text(arena_text(*LANE, t=0))
    record(task, recording, [(TURN_RIGHT,)] * 4000)
    started = start("replay", recording, "--task", task, "--video", film, "--size", 256)
    errors = interrupted(started, lambda: sum(part.stat().st_size for part in film.parent.glob("*")))
    assert errors == "Stopped; no video was written.\n"
    assert os.listdir(film.parent) == []
