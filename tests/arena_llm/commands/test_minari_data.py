"""`arena-llm dataset --minari`: data sets that Minari loads, and whose environment plays them to the bit."""

import minari
import numpy as np
import pytest

from arena import FORWARD, Episode, load

RANDOM = "!ArenaConfig {arenas: {0: !Arena {t: 50, items: [!Item {name: GoodGoal}]}}}"


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))


def loaded():
    """The data set and what is known of its episodes, which the environment has played again to the bit."""
    data = minari.load_dataset("tests/made-v0")
    known = list(data.storage.get_episode_metadata(data.episode_indices))
    env = data.recover_environment()
    for episode, facts in zip(data, known, strict=True):
        first, _ = env.reset(seed=facts["seed"], options=facts["options"])
        later, rewards, ends, *_ = zip(*map(env.step, episode.actions), strict=True)
        again, kept = np.stack([first, *later]), episode.observations
        assert (again.dtype, again.tobytes()) == (kept.dtype, kept.tobytes())
        assert (rewards, ends) == (tuple(episode.rewards), tuple(episode.terminations))
    env.close()
    return data, known


@pytest.mark.parametrize(("agent", "passed"), [("oracle", True), ("random", False)])
def test_episodes_of_agents_have_scores_and_versions(agent, passed, command):
    made = ("--minari", "tests/made-v0", "--agent", agent, "--levels", 1, "--size", 1, "--jobs", 1)
    command("dataset", *made, "--env", "observation=rays", "--env", "rays_per_side=3").succeeded()
    data, (facts,) = loaded()
    assert (facts["task_id"], facts["passed"]) == ("01-15-1000000", passed)
    metadata = data.storage.metadata
    assert data.observation_space.shape == (7 * 14,)
    assert data[0].rewards.sum() == pytest.approx(metadata["ref_max_score" if passed else "ref_min_score"])
    assert metadata["ref_min_score"] < 0 < metadata["ref_max_score"]
    assert metadata["versions"]["pictures"].startswith("arena-llm pictures")
    assert "exists; choose another name" in command("dataset", *made).stderr


@pytest.mark.parametrize("seen", ["camera", "vector"])
def test_recordings_are_replayed_in_their_random_arenas_and_pictures_lose_nothing(seen, tmp_path, command):
    (tmp_path / "there.yaml").write_text(RANDOM)
    with Episode(load(tmp_path / "there.yaml").arenas[0], task_id="there", seed=3, trial=2) as episode:
        episode.step(FORWARD)
        episode.stop()
        (tmp_path / "there.json").write_text(episode.recording().model_dump_json())
    made = ("--agent", f"replay/{tmp_path}", "--testbed", tmp_path, "--jobs", 1)
    command("dataset", "--minari", "tests/made-v0", *made, "--env", f"observation={seen}").succeeded()
    episode = loaded()[0][0]
    assert (*episode.terminations, *episode.truncations) == (False, True)


def test_what_cannot_be_made_is_said(command):
    made = ("dataset", "--minari", "tests/made-v0", "--agent")
    assert "rays: no such option" in command(*made, "oracle", "--env", "rays=3").stderr
    assert "got agent nobody of arena, expected of arena: oracle, " in command(*made, "nobody").stderr


def test_a_missing_package_is_named(monkeypatch, command):
    monkeypatch.setattr("arena.packages.find_spec", lambda name: None)
    result = command("dataset", "--minari", "tests/made-v0", "--agent", "oracle")
    assert result.stderr == "arena-llm: minari, h5py not found; run: pip install 'arena-llm[minari]'\n"
