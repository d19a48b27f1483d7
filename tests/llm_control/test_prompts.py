"""The prompts: strict templates, hashes, and that what they tell the model is true."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import Template

import pytest

from arena import IDLE, Action, Episode
from arena.errors import ConfigError
from evaluation.prompts import AGENT_VARIABLES, RUNNER, Prompt
from evaluation.prompts import load_prompt as load_from
from llm_control.prompts import OPTIONAL, VARIABLES, arena_prompts
from llm_control.script import Turn, parse
from tests.arena.worlds import agent, episode
from tests.cases import cases

CASES = cases(__file__)

FOLDER_ONLY = {"picture", "pictures", "first_health", "step_health"}
"""Variables that only a user's own texts have."""

SAMPLES = {
    **CASES["samples"],
    **dict.fromkeys(("told", "pads", "experiments", "asked", "doors", "most", "shut", "lane"), "3"),
    **dict.fromkeys(("first_health", "step_health"), 99.9),
}

NAMES = (*VARIABLES, *RUNNER)


def load_prompt(name: str) -> Prompt:
    package, variables = ("evaluation", RUNNER) if name in RUNNER else ("llm_control", VARIABLES)
    return load_from(f"{package}.prompts", name, variables)


def sample(name: str) -> dict[str, object]:
    return {variable: SAMPLES[variable] for variable in load_prompt(name).names}


@pytest.mark.parametrize("name", NAMES)
def test_shipped_texts_use_exactly_their_variables(name: str):
    prompt = load_prompt(name)
    assert set(Template(prompt.text).get_identifiers()) == set(prompt.names) - FOLDER_ONLY


@pytest.mark.parametrize("name", NAMES)
def test_shipped_texts_are_filled_completely(name: str):
    filled = load_prompt(name).fill(**sample(name))
    assert filled == filled.strip() != ""
    assert "$" not in filled.replace(str(SAMPLES["feedback"]), "")


def test_every_shipped_file_is_a_prompt():
    root = Path(__file__).parents[2]
    for package, names in (("llm_control", VARIABLES), ("evaluation", {**RUNNER, **AGENT_VARIABLES})):
        assert {path.stem for path in (root / package / "prompts").glob("*.md")} == set(names)
    assert set(arena_prompts().prompts) == {*NAMES, *OPTIONAL}


@pytest.mark.parametrize(("variable", "value", "shown"), CASES["numbers"])
def test_numbers_are_shown_as_documented(variable: str, value: float, shown: str):
    assert shown in load_prompt("turn").fill(**sample("turn") | {variable: value})


def test_values_are_not_searched_for_variables():
    assert "costs $5." in load_prompt("invalid_script").fill(**sample("invalid_script"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "missing: scripts, image_size; unknown: none"),
        ({"scripts": 30, "image_size": 9, "mood": 1, "turn": 2}, "missing: none; unknown: mood, turn"),
        ({"script": 30, "image_size": 9}, "missing: scripts; unknown: script"),
    ],
)
def test_missing_and_unknown_values_are_named(values: dict, message: str):
    with pytest.raises(ConfigError, match=re.escape(message)):
        load_prompt("system").fill(**values)


def test_hash_is_that_of_the_text_and_of_a_set_changes_with_any_text(tmp_path: Path):
    assert Prompt("system", "Drive. ü").sha256 == hashlib.sha256("Drive. ü".encode()).hexdigest()
    file = tmp_path / "mine.md"
    file.write_text("Drive.", encoding="utf-8")
    shipped, mine = arena_prompts(), arena_prompts(file)
    assert shipped.sha256 == arena_prompts().sha256 != mine.sha256
    assert mine["system"].text == "Drive."
    assert mine["turn"] == shipped["turn"]


def test_user_text_may_leave_variables_out(tmp_path: Path):
    file = tmp_path / "mine.md"
    file.write_bytes("\ufeff Costs $$5.\r\nYou have ${scripts}.\r\n".encode())
    assert arena_prompts(file)["system"].fill(scripts=30, image_size=512) == "Costs $5.\nYou have 30."
    file.write_text("Drive.", encoding="utf-8")
    assert arena_prompts(file)["system"].fill(scripts=30, image_size=512) == "Drive."


@pytest.mark.parametrize(("content", "message"), CASES["unusable"])
def test_unusable_files_are_one_clear_error(tmp_path: Path, content: bytes, message: str):
    file = tmp_path / "mine.md"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=message) as caught:
        arena_prompts(file)
    assert str(file) in str(caught.value)


def test_unreadable_files_are_one_clear_error(tmp_path: Path):
    for path in (tmp_path / "absent.md", tmp_path, Path("nul\0l.md")):
        with pytest.raises(ConfigError, match="prompt file"):
            arena_prompts(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_forbidden_files_are_one_clear_error(tmp_path: Path):
    file = tmp_path / "mine.md"
    file.write_text("Drive.", encoding="utf-8")
    file.chmod(0)
    with pytest.raises(ConfigError, match="cannot be read"):
        arena_prompts(file)


# What the system text says about the arena, checked on the arena.

SYSTEM = load_prompt("system").text
MOVEMENT = re.findall(r"^\| (Go\(\d+\)) \| ([\d.]+) m \| ([\d.]+) m \|$", SYSTEM, re.MULTILINE)
EXAMPLES = re.findall(r"(?:^ {4}\S.*\n?)+", SYSTEM, re.MULTILINE)


def test_text_has_its_table_and_its_examples_which_are_strict():
    assert (len(MOVEMENT), len(EXAMPLES)) == (7, 3)
    for example in EXAMPLES:
        script = parse(example, strict=True)
        assert any(isinstance(command, Turn) for command in script.commands)
        assert script.thoughts


@pytest.mark.parametrize("command", ["Turn(5)", "Go(-2)", *(row[0] for row in MOVEMENT)])
def test_commands_named_in_the_text_are_in_the_language(command: str):
    assert command in SYSTEM
    assert parse(f"{command};", strict=True)


@pytest.fixture
def run() -> Iterator[Episode]:
    """An agent at the south fence that has settled, as after the first images."""
    with episode(agent("20 0 0.6"), t=10_000) as run:
        idle(run, 49)
        yield run


def drive(run: Episode, text: str) -> float:
    """Carries out a script and returns the metres gone northward."""
    return take(run, parse(text, strict=True).actions())


def idle(run: Episode, steps: int) -> float:
    """Stands idle and returns the metres glided northward."""
    return take(run, [IDLE] * steps)


def take(run: Episode, actions: Iterable[Action]) -> float:
    start = run.position[2]
    for action in actions:
        run.step(action)
    return run.position[2] - start


@pytest.mark.parametrize(("command", "distance", "glide"), MOVEMENT)
def test_movement_table_is_right_to_the_digit(run: Episode, command: str, distance: str, glide: str):
    assert f"{drive(run, f'{command};'):.1f}" == distance
    assert f"{idle(run, 9):.1f}" == glide
    assert run.speed == pytest.approx(0, abs=1e-6)


def test_two_scripts_go_as_far_as_one(run: Episode):
    assert drive(run, "Go(5);") + drive(run, "Go(5);") == pytest.approx(5.95, abs=0.01)


def test_driving_the_other_way_brakes(run: Episode):
    drive(run, "Go(3);")
    assert run.speed > 6
    drive(run, "Go(-2);")
    assert run.speed < 0.5


def test_top_speed_and_fence(run: Episode):
    drive(run, "Go(33);")
    assert drive(run, "Go(1);") == pytest.approx(1.5, abs=0.1)
    drive(run, "Go(1);")
    assert run.position[2] == pytest.approx(39.5, abs=0.05)


def test_turning_is_in_multiples_of_six(run: Episode):
    drive(run, "Turn(5);")
    assert run.yaw == pytest.approx(0)
    drive(run, "Turn(95); Turn(-12);")
    assert run.yaw == pytest.approx(90 - 12)
