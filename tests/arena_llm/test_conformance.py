"""The comparison with the original's material, on material of our own in the same form."""

import json
import pickle
import shutil
import subprocess

import numpy as np
import pytest

from arena import FORWARD, IDLE, TURN_LEFT, Episode, EvaluationError, load
from arena.csv_log import csv_log
from arena_llm.fidelity import conformance
from arena_llm.fidelity.conformance import AGAINST, CHECKS, NOT_RUN, Result, Setup, array_of, found_in, page
from arena_llm.fidelity.pictures import SEED
from render import Renderer, decode, png
from tests.arena.test_csv_log import SUITE
from tests.arena.worlds import agent, arena_text, item
from tests.arena_llm.fidelity.recordings import record
from tests.llm_control.paper_material import write_program

ARENA = arena_text(agent("20 0 10"), item("GoodGoal", "20 0 16", sizes="1 1 1"), t=50)
TREE = arena_text(agent("20 0 10"), item("SpawnerTree", "20 0 16", rotations="0"), t=0)


def results(folder, *patterns):
    return {(each.check, each.version): each for each in found_in(folder, Setup("4", None, []), patterns)}


@pytest.fixture
def log(tmp_path):
    """A log of two steps to the left and of driving to the ball, as Unity would write it."""
    path = tmp_path / "runs" / "run.csv"
    path.parent.mkdir()
    path.with_suffix(".yml").write_text(ARENA)
    with (
        Episode(load(path.with_suffix(".yml"), "4").arenas[0], task_id="0") as episode,
        csv_log(episode, path),
    ):
        for action in [TURN_LEFT, IDLE, *[FORWARD] * 20]:
            if not episode.done:
                episode.step(action)
    return path


@pytest.fixture
def still(tmp_path):
    """A picture of a tree."""
    path = tmp_path / "stills" / "SpawnerTree.png"
    path.parent.mkdir()
    path.with_suffix(".yml").write_text(TREE)
    with Episode(load(path.with_suffix(".yml"), "4").arenas[0], task_id=path.stem, seed=SEED) as episode:
        episode.step(IDLE)
        path.write_bytes(png(Renderer(64, 64).frame(episode.scene())))
    return path


def test_own_runs_agree_and_are_shown(log, still, tmp_path, command):
    shutil.copy(still, log.parent)
    shutil.copy(still.with_suffix(".yml"), log.parent)
    printed = command("conformance", "--against", log.parent, "--out", tmp_path / "out").succeeded()
    assert "| recordings | 4 | 20 of 20 | 1.0 | reached |" in printed
    assert "| pictures: class | 4 | 1 of 1 | 1.0 | reached |" in printed
    assert "| pictures: silhouette | 4 | 0 of 0 | 0.9 | not run |" in printed
    assert "run.yml, seed 0, 3 ticks a decision, rays to 60 degrees" in printed
    assert (tmp_path / "out" / "conformance.md").read_text() in printed
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    assert {each["check"]: each["result"] for each in found}["recordings"] == "reached"
    assert decode((tmp_path / "out" / "pictures-64.png").read_bytes()).shape == (64, 512, 3)


@pytest.mark.parametrize(
    ("column", "change", "told"),
    [
        (9, lambda cell: f"{float(cell) + 0.01:.5f}", "12 of "),
        (8, lambda cell: f"{float(cell) + 0.0001:.6f}", ""),
        (19, lambda cell: "Agent was in DataZone: A", "ticks differ as text, the first is 7"),
        (21, lambda cell: cell.replace("arena", "wall"), "CombinedRaycastData"),
    ],
)
def test_an_altered_log_is_noticed(column, change, told, log):
    lines = [line.split(",") for line in log.read_text().splitlines()]
    for cells in lines[7:19]:
        cells[column] = change(cells[column])
    log.write_text("\n".join(map(",".join, lines)) + "\n")
    found = results(log.parent)["recordings", "4"]
    assert found.verdict == ("missed" if told else "reached")
    assert told in " ".join(found.differences())


def test_other_actions_and_other_arenas_do_not_agree(log):
    good = log.read_text()
    log.write_text(good.replace("1 (Move Forward)", "0 (No Movement)"))
    assert results(log.parent)["recordings", "4"].verdict == "missed"
    log.write_text(good)
    log.with_suffix(".yml").write_text(ARENA.replace("z: 16", "z: 17"))
    assert results(log.parent)["recordings", "4"].verdict == "missed"
    # Without an arena of its name, the one of the folder with which most agrees is the log's.
    log.with_suffix(".yml").rename(log.with_name("a.yml"))
    log.with_name("b.yml").write_text(ARENA)
    found = results(log.parent)["recordings", "4"]
    assert (found.verdict, "b.yml" in found.note) == ("reached", True)


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (lambda text: text[:-200], "expected 23 columns; give a whole log"),
        (lambda text: text.splitlines()[0] + "\n", "expected the ticks of an episode"),
    ],
)
def test_a_log_that_is_cut_off_is_not_run_and_does_not_pass(broken, told, log, command):
    log.write_text(broken(log.read_text()))
    done = command("conformance", "--against", log.parent)
    assert (done.returncode, done.stderr) == (1, "")
    assert told in done.stdout
    assert "| recordings | 4 | 0 of 0 | 1.0 | not run |" in done.stdout


def test_another_picture_and_a_broken_arena_are_noticed(still):
    still.write_bytes(png(np.zeros((64, 64, 3), np.uint8)))
    found = results(still.parent, *AGAINST)
    assert {found[f"pictures: {name}", "4"].verdict for name in ("class", "near")} == {"missed"}
    still.with_suffix(".yml").write_text("arenas: [")
    assert results(still.parent, *AGAINST)["pictures: class", "4"].verdict == "not run"


@pytest.mark.parametrize("words", [(), ("--from", "nowhere"), ("--against", "nowhere")])
def test_wrong_usage_is_status_2(words, command):
    assert command("conformance", *words).returncode == 2


def test_a_folder_without_material_is_refused(tmp_path, command):
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")
    assert "expected a checkout of animal-ai" in command("conformance", "--from", tmp_path).sentence


SUITE_FILES = {
    "tests/test_screenshots.py": """
import os, pickle
import numpy as np
from animalai.environment import AnimalAIEnvironment

def test_single_item_screenshot_test():
    name = "screenshot_test_config_SpawnerTree.yml"
    with open("testConfigs/tree.yml") as file, open(name, "w") as copy:
        copy.write(file.read())
    AnimalAIEnvironment(file_name=os.environ["AAI_EXE_PATH"], arenas_configurations=name).close()
    os.remove(name)
    with open(f"data/{os.environ['E2E_TEST_PLATFORM']}/SpawnerTree_screenshot_test.pickle", "rb") as file:
        np.testing.assert_array_equal(np.zeros(3), pickle.load(file))
""",
    "tests/test_general.py": """
from mlagents_envs.base_env import ActionTuple
from animalai.environment import AnimalAIEnvironment
import numpy as np

def play(config):
    env = AnimalAIEnvironment(arenas_configurations=config, useCamera=False, seed=3)
    while not len(env.get_steps("AnimalAI?team=0")[1]):
        env.set_actions("AnimalAI?team=0", ActionTuple(np.zeros((1, 0)), np.array([[1, 0]])))
        env.step()
    return env.get_steps("AnimalAI?team=0")[1].reward[0]

def test_goal():
    assert play("testConfigs/goal.yml") > 0.5

def test_missing():
    play("testConfigs/missing.yml")

def test_wrong():
    assert play("testConfigs/goal.yml") > 2
""",
    "testConfigs/goal.yml": ARENA,
    "testConfigs/tree.yml": TREE,
    "play.py": "from animalai.envs.environment import AnimalAIEnvironment\nassert not __debug__, 'broken'\n",
    "walk.py": """
from animalai.envs.environment import AnimalAIEnvironment
from gym_unity.envs import UnityToGymWrapper
env = AnimalAIEnvironment(arenas_configurations="testConfigs/goal.yml", resolution=32)
shape = env.behavior_specs["AnimalAI?team=0"].observation_specs[0].shape
assert shape == (32, 32, 3), shape
""",
    "train.py": "import animalai, a_library_that_is_missing\n",
    "keys.py": "import animalai, os\nassert 'OPENAI_API_KEY' not in os.environ\n",
    "call.py": "import animalai, socket\nsocket.create_connection(('192.0.2.1', 80), timeout=1)\n",
    "wait.py": "import animalai, time\ntime.sleep(60)\n",
}


def test_foreign_programs_run_on_our_arena(still, tmp_path, monkeypatch):
    monkeypatch.setattr(conformance, "SCRIPT_S", 4.0)
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    root = tmp_path / "checkout"
    for name, text in SUITE_FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "data" / "macos").mkdir(parents=True)
    picture = decode(still.read_bytes()).astype(np.float32) / 255
    (root / "data" / "macos" / "SpawnerTree_screenshot_test.pickle").write_bytes(pickle.dumps(picture))
    before = sorted(root.rglob("*"))
    found = results(root)
    assert sorted(root.rglob("*")) == before
    tests = {name.split("::")[1]: text for name, text in found["end-to-end tests", "4"].problems.items()}
    assert tests.pop("test_goal") == ""
    assert tests.pop("test_missing").startswith(NOT_RUN)
    assert "assert" in tests.pop("test_wrong")
    assert tests == {}
    assert found["end-to-end tests of pictures", "4"].verdict == "not judged"
    assert "equal bytes" in found["end-to-end tests of pictures", "4"].differences()[0]
    assert found["pictures: class", "4"].problems == {"SpawnerTree": ""}
    scripts = dict(found["example scripts", "3.1.3, 4"].problems)
    assert scripts.pop("walk.py") == scripts.pop("wait.py") == scripts.pop("keys.py") == ""
    assert scripts.pop("play.py") == "AssertionError: broken"
    assert scripts.pop("train.py").startswith(NOT_RUN)
    assert "no network" in scripts.pop("call.py")
    assert scripts == {}
    assert found["task files", "any"].counts == (2, 2)


def test_a_pickle_with_anything_but_an_array_is_refused(tmp_path):
    class Order:
        def __reduce__(self):
            return (tmp_path.rmdir, ())

    path = tmp_path / "a.pickle"
    for content in (Order(), np.array([Order()], object), np.zeros(3), "text"):
        path.write_bytes(pickle.dumps(content))
        with pytest.raises(EvaluationError, match=r"a\.pickle: expected a pickled picture"):
            array_of(path)


def test_task_files_of_all_tags_are_read_as_their_versions(tmp_path):
    def git(*words):
        subprocess.run(
            ["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True
        )

    git("init", "-q")
    (tmp_path / "goal.yml").write_text(ARENA)
    for tag, name in (
        ("v2.1.0", "Cardbox1"),
        ("v3.1.3", "DataZone"),
        ("v4.0.1", "DataZone"),
        ("v4.3", "Nothing"),
    ):
        (tmp_path / "other.yaml").write_text(arena_text(agent(), item(name, "20 0 20")))
        git("add", ".")
        git("commit", "--allow-empty", "-qm", tag)
        git("tag", tag)
    found = results(tmp_path)
    verdicts = {version: (each.verdict, each.counts) for (_, version), each in found.items()}
    assert verdicts == {
        "2": ("reached", (2, 2)),
        "3.1.3": ("missed", (1, 2)),
        "4.1": ("reached", (2, 2)),
        "4": ("missed", (1, 2)),
    }
    assert "leaves that out" in found["task files", "4"].differences()[0]


def test_transcripts_and_their_health(tmp_path):
    table = record(tmp_path / "own")
    good = results(tmp_path)
    assert good["transcripts: health", "3.1.3"].counts == (2, 2)
    assert good["transcripts: pictures", "3.1.3"].verdict == "reached"
    lines = table.read_text().splitlines()
    table.write_text("\n".join([*lines[:2], lines[2].rsplit(",", 1)[0] + ",50.0", *lines[3:]]))
    assert results(tmp_path)["transcripts: health", "3.1.3"].verdict == "missed"


def test_a_program_that_asks_otherwise_is_not_ours(tmp_path):
    """The program of this checkout sends one request to each task."""
    root = write_program(tmp_path / "LLM-AAI")
    (root / "src" / "experimentation").mkdir()
    (root / "options.yaml").write_text("llm_family: claude\n")
    (root / "scripts").mkdir()
    (root / "scripts" / "main.py").write_text(
        "import json, urllib.request, os, user_settings, yaml\n"
        "options = yaml.safe_load(open('options.yaml'))\n"
        "for name in sorted(os.listdir(options['aai_config_path'])):\n"
        "    body = {'model': options['llm_model'], 'messages': [{'role': 'user', 'content': name}]}\n"
        "    data = json.dumps(body).encode()\n"
        "    with urllib.request.urlopen(user_settings.GPT_API_ENDPOINT + '/x', data) as reply:\n"
        "        assert b'Turn' in reply.read()\n"
    )
    tasks = root / "data" / "arena_configs" / "competition"
    tasks.mkdir(parents=True)
    (tasks / "01-01-01.yaml").write_text(ARENA.replace("t: 50", "t: 30"))
    found = results(root, "src/experimentation")["episodes of LLM-AAI", "3.1.3"]
    assert found.problems.keys() == {"01-01-01"}
    assert found.problems["01-01-01"].startswith("request 1 of 1 and ")
    assert found.verdict == "missed"


def test_requests_are_compared_to_the_byte():
    first = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
    second = {"model": "m", "messages": [*first["messages"], {"role": "assistant", "content": "b"}]}
    assert conformance._by_episode([first, second, first]) == [[first, second], [first]]
    assert conformance._unlike([first, second], [first, second]) == ""
    other = second | {"temperature": 0}
    assert (
        conformance._unlike([first, second], [first, other]) == "request 2 of 2 and 2: temperature, message 0"
    )
    assert "request 2 of 2 and 1: model, messages, message 1" in conformance._unlike([first, second], [first])


def test_nothing_is_never_reached():
    for check in CHECKS:
        assert Result(check, "4", "a", {}).verdict == "not run"
        assert Result(check, "4", "a", {"x": f"{NOT_RUN}y"}).verdict == "not run"
        assert Result(check, "4", "a", {"x": "y"}).verdict in ("missed", "not judged")
    many = Result("task files", "4", "a", {str(n): "wrong\n`x`" for n in range(9)})
    assert "- `0: wrong 'x'`" in page([many])
    assert "- and 4 more" in page([many])


@pytest.mark.skipif(SUITE is None, reason="no shared/reference/unity-v4/e2e beside the project")
def test_unitys_own_logs_agree():
    found = list(found_in(SUITE, Setup("4", None, []), ("*.csv",)))
    judged = {each.source.rpartition("/")[2]: each.verdict for each in found if each.check == "recordings"}
    assert judged == {"Template_datazones.csv": "reached", "Template_observations.csv": "reached"}
    assert all("rays to 30 degrees" in each.note for each in found)
