"""Every preset: that it is what it is called, and that an offline agent plays it from end to end."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.log import read_eval_log

from arena import ConfigError
from evaluation.choices.effective import effective, load_preset, preset_names
from evaluation.generation.budget import RunLimits
from evaluation.suites import chosen_tasks
from evaluation.verify.sources import Verdict
from llm_control.choices import ArenaChoices
from testbed import CHILDREN
from tests.cases import cases
from tests.evaluation.verify.logs import checked
from tests.llm_control.batteries import ARENA, eval_request, evaluated, run, write_battery

CASES = cases(__file__)

ROOT = Path(__file__).parents[2]

NAMES = [*ArenaChoices.model_fields, "description", "demonstrations"]
ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
ANYTHING |= st.lists(st.integers() | st.text())
PAPERS = ("paper-experiment-1", "paper-experiment-2", "paper-frame-by-frame")


def test_the_presets_are_there():
    assert set(preset_names(ARENA)) == {
        *PAPERS, "frame-by-frame", "several-images", "no-script-limit", "one-conversation", "memory-k",
        "text-only", "grayscale", "low-resolution", "blurred", "thinking-unlimited", "thinking-limited",
        "tool-calling", "blind", "shuffled",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", preset_names(ARENA))
def test_an_offline_agent_plays_it_after_a_limit_and_the_log_is_verified(name, tmp_path):
    battery = write_battery(tmp_path / "battery", (20, 14), (20, 13), t=100)
    model = "arena/pixels" if effective(ARENA, name, {}).choices.shows_images else "arena/random"
    small = {"image_size": 64, "trials": 1, "tasks": "01-04-03,01-06-02", "max_scripts": 30, "loop_turns": 30}
    if name in PAPERS:
        small |= {"texts": "any", "battery": "any", "image_size": 128}
    if name == "low-resolution":
        small["resolution"] = 32
    request = eval_request(model, battery, protocol=name, choices=small)
    first = evaluated(request, tmp_path / "logs", limits=RunLimits(seconds=0))
    assert [row.passed for row in first.rows] == [None, None]
    result = evaluated(request, tmp_path / "logs", resume=True)
    found = checked(result.log, frames=True, folder=battery)
    verdicts = [(each.verdict, each.findings, each.problem) for each in found]
    assert verdicts == [(Verdict.AGREES, (), None)] * 2
    assert [row.error for row in result.rows] == [None, None]
    assert result.complete
    assert result.run.arguments["protocol"] == name
    sees = name not in ("text-only", "blind", "shuffled", "grayscale", "blurred")
    if sees:
        assert [row.passed for row in result.rows] == [True, True], result.rows


@pytest.mark.parametrize("name", PAPERS)
def test_the_papers_protocols_write_every_choice_out(name):
    assert set(load_preset(ARENA, name).choices) == set(ArenaChoices.model_fields)
    played = effective(ARENA, name, {}).choices
    most = (1, 150) if name == "paper-frame-by-frame" else (3, 30)
    assert (played.trials, played.max_scripts, played.strict) == (*most, True)
    assert played.initial_idle_steps == (1, 16, 16, 16)


def test_the_papers_tasks_are_those_that_children_did():
    first, second, moves = (effective(ARENA, name, {}).choices for name in PAPERS)
    named = effective(ARENA, None, {"tasks": "children"}).choices
    assert first.tasks == CHILDREN == named.tasks
    assert (first.battery, second.battery, moves.battery) == ("llm-aai",) * 3
    assert named.battery == "published"
    assert second.tasks == moves.tasks == CHILDREN[:12]
    assert (first.demonstration, second.demonstration, moves.demonstration) == (False, True, False)


def test_the_papers_tasks_are_not_taken_from_another_battery(tmp_path):
    with pytest.raises(ConfigError, match=r"40 of 40 files differ by their SHA-256.*fetch llm-aai"):
        run(None, tmp_path / "logs", "arena/random", "paper-experiment-1")
    for folder in (None, write_battery(tmp_path / "children", (20, 14))):
        with pytest.raises(ConfigError, match=r"tasks = children asks for the published.*short-form|no task"):
            run(folder, tmp_path / "logs", "arena/random", tasks="children")


def test_the_originals_files_are_known_by_their_bytes_in_any_folder(official_testbed, tmp_path):
    folder = tmp_path / "anything"
    folder.mkdir()
    for task_id in CHILDREN:
        shutil.copy(official_testbed / f"{task_id}.yaml", folder)
    asked = ArenaChoices(tasks="children")
    assert [task.id for task in chosen_tasks(ARENA, asked, folder)] == list(CHILDREN)
    with pytest.raises(ConfigError, match=r"battery = llm-aai asks .* 1 of 40 .*the first: 04-22-01"):
        chosen_tasks(ARENA, asked.model_copy(update={"battery": "llm-aai"}), folder)
    (folder / "04-22-01.yaml").write_bytes((folder / "04-22-01.yaml").read_bytes() + b"\n")
    with pytest.raises(ConfigError, match="the first: 04-22-01"):
        chosen_tasks(ARENA, asked, folder)


@pytest.mark.parametrize("name", preset_names(ARENA))
def test_a_preset_says_what_it_is_and_is_plain_yaml(name):
    assert load_preset(ARENA, name).description
    written = yaml.safe_load((ROOT / "llm_control" / "presets" / f"{name}.yaml").read_text())
    assert set(written) - {"description"} <= set(ArenaChoices.model_fields)


def test_options_go_over_the_preset_and_the_preset_over_the_defaults():
    given = effective(ARENA, "memory-k", {"trials": 2})
    assert (given.choices.memory_turns, given.choices.trials, given.choices.seed) == (5, 2, 0)
    origins = [given.origins[name] for name in ("memory_turns", "trials", "seed")]
    assert origins == ["preset memory-k", "option", "default"]
    assert effective(ARENA, "memory-k", {"memory_turns": "none"}).choices.memory_turns is None


@pytest.mark.parametrize(("text", "message"), CASES["wrong"])
def test_a_wrong_file_says_where(text, message, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        effective(ARENA, str(file), {})


def test_a_file_of_ones_own_is_a_protocol(tmp_path):
    file = tmp_path / "mine.yaml"
    text = "tasks: ['01-01-01', '5']\nvision: true\nanimal_ai: 4\ntemperature: 1\nmax_tokens: none\n"
    file.write_text(text)
    played = effective(ARENA, str(file), {}).choices
    assert (played.vision, played.animal_ai, played.temperature) == ("true", "4", 1.0)
    with pytest.raises(ConfigError, match="cannot be read"):
        effective(ARENA, str(tmp_path / "absent.yaml"), {})


CHOICES = st.dictionaries(st.sampled_from(NAMES), ANYTHING, max_size=5)


@settings(max_examples=40)
@given(st.text(max_size=200) | CHOICES.map(yaml.safe_dump))
def test_any_file_is_a_protocol_or_one_clear_error(text):
    with TemporaryDirectory() as folder:
        file = Path(folder) / "mine.yaml"
        file.write_text(text, encoding="utf-8")
        said = ""
        try:
            effective(ARENA, str(file), {})
        except ConfigError as error:
            said = str(error)
        assert not said or str(file) in said or "(preset mine)" in said


OF_PICTURES = {"images_per_script": 2, "image_every": 2, "image_format": "jpeg", "image_gutter": 2}
OF_PICTURES |= {"grayscale": True, "blur_px": 1, "resolution": 8, "image_detail": "low", "vision": "blind"}
SHOWN = {"observation": "text", "vision": "blind", "one_step": True, "replies": "tools", "thought_chars": 9}
ALONE = {"tools": "go", "max_scripts": None, "order": "shuffled", "resolution": 600, "commands": "moves"}

IMPOSSIBLE = [
    *({"observation": "text", name: value} for name, value in OF_PICTURES.items()),
    *({"icl": True, name: value} for name, value in SHOWN.items()),
    *({name: value} for name, value in (ALONE | {"after_loop": "repeat"}).items()),
    {"observation": "both", "vision": "shuffled"},
    {"images_per_script": 2, "image_every": 3},
    {"one_step": True, "images_per_script": 2},
    {"one_step": True, "image_every": 2},
    {"commands": "moves", "one_step": True, "replies": "tools"},
]


@pytest.mark.parametrize("choices", IMPOSSIBLE, ids=str)
def test_impossible_combinations_are_refused_with_a_reason(choices):
    with pytest.raises(ConfigError, match=r"impossible together, because \w+"):
        effective(ARENA, None, choices)


def test_the_log_keeps_the_protocol(tmp_path):
    battery = write_battery(tmp_path / "battery", (20, 14))
    result = run(battery, tmp_path / "logs", "arena/random", "memory-k", max_scripts=2, image_size=64)
    arguments = read_eval_log(str(result.log)).eval.task_args
    assert arguments["protocol"] == "memory-k"
    assert arguments["max_scripts"] == 2
