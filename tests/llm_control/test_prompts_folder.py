"""A user's own folder of texts, its layout, and a demonstration from a file."""

import asyncio
import re
from dataclasses import replace

import pytest

from arena import ConfigError
from evaluation.capabilities import prompts_of
from evaluation.episode import Session
from evaluation.inspect_task.dialogue import first_messages
from evaluation.prompts import PromptFiles
from evaluation.suites import chosen_tasks
from evaluation.verify.sources import Verdict
from llm_control.choices import ArenaChoices
from llm_control.demonstration import file_sha256, read_demonstration
from render.image import decode, webp
from tests.cases import cases
from tests.evaluation.verify.logs import checked
from tests.llm_control.batteries import ARENA, battery_of, eval_request, evaluated
from tests.llm_control.paper_material import picture

CASES = cases(__file__)

DEMONSTRATION = """\
first:
  pictures: [a.jpg, b.jpg]
  health: 99.9
turns:
- script: Go(3);
  health: 96.9
  pictures: [a.jpg]
- script: Go(30);
"""


battery = battery_of((20, 16))


@pytest.fixture
def folder(tmp_path):
    """A folder of texts that can be written file by file."""
    (tmp_path / "texts").mkdir()
    return tmp_path / "texts"


@pytest.fixture
def shown(tmp_path):
    """A demonstration's file with its pictures."""
    for number, name in enumerate("ab"):
        (tmp_path / f"{name}.jpg").write_bytes(picture(number))
    (tmp_path / "mine.yaml").write_text(DEMONSTRATION)
    return tmp_path / "mine.yaml"


def texts_of(folder, choices=None, **files):
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text)
    return prompts_of(ARENA, choices, PromptFiles(folder=folder))


def opened(prompts, battery, **choices):
    chosen = ArenaChoices(**{"image_size": 32, "initial_idle_steps": (1, 1, 1), **choices})
    tasks = chosen_tasks(ARENA, chosen, battery)
    found = asyncio.run(first_messages(session := Session(ARENA, tasks, 0, chosen, prompts, tasks)))
    session.close()
    return found


def kinds(message):
    if isinstance(message.content, str):
        return [message.content]
    return [part.text if part.type == "text" else part.type for part in message.content]


def test_texts_are_used_to_the_last_blank(folder, battery):
    prompts = texts_of(folder, system=" Drive. \n\n", picture="See: \n", first_turn="Go!\n${pictures}You?\n")
    system, first = opened(prompts, battery)
    assert kinds(system) == [" Drive. \n"]
    assert kinds(first) == ["Go!\nSee: ", "image", "See: ", "image", "You?"]
    assert prompts["turn"] == prompts_of(ARENA)["turn"]


def test_the_system_text_may_begin_the_first_message_of_the_user(folder, battery):
    (folder / "layout.yaml").write_text("roles: user\nnotes: no\n")
    prompts = texts_of(folder, system="Drive. ", first_turn="Now: $picture first, $pictures then.")
    (first,) = opened(prompts, battery, loop_turns=50)
    assert first.role == "user"
    assert kinds(first) == ["Drive. Now: ", "image", " first, ", "image", " then."]
    notes = texts_of(folder, system="Drive.").with_texts({"layout.yaml": "roles: user\n"})
    assert "$loop" not in kinds(opened(notes, battery, loop_turns=50)[0])[0]
    assert "50 times" in kinds(opened(notes, battery, loop_turns=50)[0])[0]


def test_a_demonstration_of_a_file_comes_as_messages_or_inside_one(folder, battery, shown):
    choices = {"demonstration": str(shown)}
    messages = opened(prompts_of(ARENA), battery, **choices)
    roles = ["system", "user", "assistant", "user", "assistant", "user", "user"]
    assert [message.role for message in messages] == roles
    assert "Health: 96.9." in messages[3].text
    (folder / "layout.yaml").write_text("demonstration: inside\n")
    prompts = texts_of(folder, demonstration_user="You: ", demonstration_assistant="It: ")
    _system, whole, _first = opened(prompts, battery, **choices)
    assert [part for part in kinds(whole) if part.startswith("It: ")] == ["It: Go(3);", "It: Go(30);" +
        prompts_of(ARENA)["demonstration_end"].text]  # fmt: skip
    assert kinds(whole).count("image") == 3


@pytest.mark.parametrize("layout", ["roles: user\n", "demonstration: inside\n", ""])
def test_such_runs_verify_pictures_included(layout, folder, battery, shown, tmp_path):
    (folder / "layout.yaml").write_text(layout or "notes: yes\n")
    texts_of(folder, demonstration_user="You: ")
    choices = {"demonstration": str(shown), "image_size": 64, "max_scripts": 3, "image_format": "jpeg"}
    request = eval_request("arena/random", battery, choices={**choices, "image_gutter": 3})
    log = evaluated(replace(request, texts=folder), tmp_path / "logs").log
    (verified,) = checked(log, frames=True)
    assert (verified.verdict, verified.pictures) == (Verdict.AGREES, 3 + 3 + verified.turns - 1)
    shown.unlink()
    (lost,) = checked(log, frames=True)
    assert "mine.yaml: cannot be read" in str(lost.problem)
    assert checked(log)[0].verdict is Verdict.AGREES


def test_another_demonstration_is_another_run(battery, shown):
    first = eval_request("arena/random", battery, choices={"demonstration": str(shown)}).fingerprint
    (shown.parent / "b.jpg").write_bytes(picture(9))
    again = eval_request("arena/random", battery, choices={"demonstration": str(shown)})
    assert again.fingerprint != first
    assert again.plan()["files"] == {"demonstration": file_sha256(shown)}


@pytest.mark.parametrize(("files", "message"), CASES["wrong_folders"])
def test_a_folder_that_cannot_serve_is_one_clear_error(files, message, folder):
    for name, text in files.items():
        (folder / name).write_text(text)
    with pytest.raises(ConfigError, match=re.escape(message)):
        texts_of(folder)


def test_an_absent_folder_and_a_layout_that_forgets_the_system_text_are_refused(folder, tmp_path):
    with pytest.raises(ConfigError, match="nowhere: no such folder"):
        texts_of(tmp_path / "nowhere")
    (folder / "layout.yaml").write_text("roles: user\n")
    for name, value in (("memory_turns", 3), ("memory_characters", 900), ("agent", "react")):
        with pytest.raises(ConfigError, match=rf"{value} .* would be forgotten"):
            texts_of(folder, ArenaChoices(**{name: value}))


@pytest.mark.parametrize(("old", "new", "message"), CASES["wrong_demonstrations"])
def test_a_demonstration_that_cannot_serve_is_one_clear_error(old, new, message, shown):
    shown.write_text(DEMONSTRATION.replace(old, new))
    (shown.parent / "c.webp").write_bytes(webp(decode(picture(9))))
    with pytest.raises(ConfigError, match=re.escape(message)):
        read_demonstration(shown)
