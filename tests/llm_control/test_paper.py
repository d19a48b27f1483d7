"""Doing as the paper did: its texts converted, its first request, and what still differs."""

import base64
import re
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from arena import ConfigError
from arena_llm.cli import app
from evaluation.capabilities import prompts_of, remarks_of
from evaluation.choices.effective import effective
from evaluation.generation.budget import RunLimits
from evaluation.prompts import PromptFiles
from evaluation.suites import get_suite
from evaluation.verify.sources import Verdict
from llm_control.demonstration import chosen_demonstration
from llm_control.environment import ArenaEnvironment
from llm_control.paper.convert import convert
from llm_control.paper.differences import LIST, differences
from render import decode
from report.arena.pages import ArenaReport
from testbed import find_tasks
from tests.evaluation.verify.logs import checked
from tests.llm_control.batteries import ARENA, battery_of, eval_request, evaluated, setup_of
from tests.llm_control.paper_material import (
    BACKGROUND,
    HEALTHS,
    INTRO,
    INVALID,
    LABEL,
    SCRIPTS,
    SEND_OFF,
    STATED,
    picture,
    write_material,
    write_program,
)
from tests.llm_control.provider import MODEL, answer


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    root = tmp_path_factory.mktemp("paper")
    return convert([write_material(root / "material"), write_program(root / "program")], root / "out")


battery = battery_of((20, 16), t=1000)


@pytest.fixture
def requests(bodies_of):
    """The bodies of the requests; the model says something wrong, then drives."""
    return bodies_of(lambda bodies: answer(["What?", "Go(1);", "Go(30);"][min(len(bodies), 3) - 1]))


def asked(converted, battery, protocol="paper-experiment-1", model=MODEL, folder=0, **choices):
    choices = {"battery": "any", "trials": 1, "tasks": "01-04-03", **choices}
    request = eval_request(model, battery, protocol=protocol, choices=choices)
    return replace(request, texts=converted.folders[folder])


def text(value):
    return {"type": "text", "text": value}


THREE_VIEWS = ("image_url", text(LABEL), "image_url", text(LABEL), "image_url", text(STATED.format(99.9)))


def images(body):
    return [part["image_url"] for part in body["messages"][0]["content"] if part["type"] == "image_url"]


def without_pixels(parts):
    return [part if part["type"] == "text" else part["type"] for part in parts]


def test_the_first_request_of_experiment_1_is_the_papers(converted, battery, requests, tmp_path):
    result = evaluated(asked(converted, battery), tmp_path / "logs")
    first = requests[0]
    # What `GPTSession.prompt` passes to the API, besides the history.
    parameters = {"model": "gpt-4o", "max_tokens": 1024, "temperature": 0.0, "stop": ["<EOS>"]}
    assert first == parameters | {"messages": first["messages"]}
    # One message of the user: what `create_background_prompt`, the send-off and three observations give, and
    # the health after the first of the 49 steps (0.06 each in an episode of t = 1000).
    (message,) = first["messages"]
    assert message["role"] == "user"
    assert without_pixels(message["content"]) == [text(BACKGROUND + SEND_OFF + LABEL), *THREE_VIEWS]
    for image in images(first):
        kind, _, data = image["url"].partition(",")
        frame = decode(base64.b64decode(data))
        assert (kind, image["detail"], frame.shape) == ("data:image/jpeg;base64", "high", (512, 516, 3))
        gutters = frame[:, [0, 1, -2, -1]]
        assert (gutters.min() > 128) == (gutters.max() == 255) == True  # noqa: E712
    assert result.rows[0].error is None


def test_later_requests_are_the_papers_too(converted, battery, requests, tmp_path):
    evaluated(asked(converted, battery), tmp_path / "logs")
    third = requests[2]["messages"]
    assert [message["role"] for message in third] == ["user", "assistant", "user", "assistant", "user"]
    # A wrong reply costs one step; 49 have passed before it.
    for place, label, steps in ((2, INVALID + LABEL, 50), (4, LABEL, 51)):
        shown = [text(label), "image_url", text(STATED.format(100 - steps * 0.06))]
        assert without_pixels(third[place]["content"]) == shown


@pytest.mark.parametrize("protocol", ["paper-experiment-1", "paper-experiment-2", None])
def test_a_reply_without_a_step_states_the_health_that_was_read_last(protocol, converted, battery):
    """The program reads it at the first picture, and then after steps of replies, a wrong one's included."""
    idle = {} if protocol else {"initial_idle_steps": "1,16,16,16"}
    choices = effective(ARENA, protocol, {"image_size": 64, **idle}).choices
    setup = setup_of(find_tasks(None, battery)[0], choices)
    texts = PromptFiles(folder=converted.folders[0]) if protocol else PromptFiles()
    environment = ArenaEnvironment(setup._replace(prompts=prompts_of(ARENA, files=texts)))
    replies = ("Think('Wait.');", "Go(0);", "Go(1);", "Turn(3);", "What?", "Think('Stay.');")
    observations = [environment.begin(), *map(environment.reply, replies)]
    environment.close()
    stated = [re.search(r"ealth\D*(\d+\.\d)", each.parts[-1])[1] for each in observations]
    assert stated == [*["99.9" if protocol else "97.1"] * 3, "97.0", "97.0", "96.9", "96.9"]


def test_the_demonstration_of_experiment_2_is_in_the_first_message(converted, battery, requests, tmp_path):
    shown = {"demonstration": str(converted.demonstration)}
    log = evaluated(asked(converted, battery, "paper-experiment-2", **shown), tmp_path / "logs").log
    (message,) = requests[0]["messages"]
    seen = [part for k in (1, 2) for part in (text("assistant: " + SCRIPTS[k - 1]), text("user: " + LABEL),
            "image_url", text(STATED.format(HEALTHS[k])))]  # fmt: skip
    assert without_pixels(message["content"]) == [
        *(text(BACKGROUND + INTRO), text("Example:\n"), text("user: "), *THREE_VIEWS, *seen),
        *(text("assistant: " + SCRIPTS[2] + "\n" + SEND_OFF + LABEL), *THREE_VIEWS),
    ]
    sent = [base64.b64decode(image["url"].partition(",")[2]) for image in images(requests[0])]
    assert sent[:5] == [picture(number) for number in range(5)]
    (verified,) = checked(log, frames=True)
    assert verified.verdict is Verdict.AGREES, verified
    assert verified.pictures == 5 + 3 + 2


@pytest.mark.parametrize(
    ("protocol", "folder"),
    [("paper-experiment-1", 0), ("paper-experiment-2", 0), ("paper-frame-by-frame", 1)],
)
def test_the_papers_presets_run_verify_and_resume(protocol, folder, converted, battery, tmp_path):
    shown = {"demonstration": str(converted.demonstration)} if folder == 0 and "2" in protocol else {}
    request = asked(converted, battery, protocol, "arena/pixels", folder, image_size=128, **shown)
    result = evaluated(request, tmp_path / "logs")
    assert [(row.error, row.passed) for row in result.rows] == [(None, True)]
    assert [each.verdict for each in checked(result.log, frames=True)] == [Verdict.AGREES]


def test_a_broken_off_run_with_own_texts_is_resumed(converted, battery, requests, tmp_path, monkeypatch):
    request = asked(converted, battery)
    broken = evaluated(request, tmp_path / "logs", limits=RunLimits(tokens=0))
    assert not broken.complete
    monkeypatch.chdir(tmp_path)
    done = evaluated(asked(converted, battery), tmp_path / "logs", resume=True)
    assert done.complete
    assert requests[0]["messages"][0]["content"][0] == text(BACKGROUND + SEND_OFF + LABEL)
    (verified,) = checked(done.log, frames=True)
    assert verified.verdict is Verdict.AGREES


def test_the_presets_refuse_other_texts_and_say_how_to_get_the_papers(converted, battery):
    with pytest.raises(ConfigError, match=r"`arena-llm prompts --from CHECKOUT --out DIR`.*--prompts DIR"):
        _ = eval_request(MODEL, battery, protocol="paper-experiment-1").prompts
    with pytest.raises(ConfigError, match=r"`arena-llm prompts .*--demonstration DIR/experiments/demonst"):
        _ = asked(converted, battery, "paper-experiment-2").prompts
    own = eval_request(MODEL, battery, protocol="paper-experiment-1", choices={"texts": "any"})
    assert own.prompts.sha256 == prompts_of(ARENA).sha256


def test_what_the_program_does_not_have_is_taken_from_the_supporting_material(converted, tmp_path):
    experiments, moves = (prompts_of(ARENA, files=PromptFiles(folder=folder)) for folder in converted.folders)
    assert converted.notes == ()
    assert "drives" in experiments["system"].text
    assert moves["system"].text == "You are a PLAYER. It doesn't hurt.\n\nMind the walls.\n"
    assert moves["first_turn"].text == (
        "Ready to play? Three images.\nNow.\n${pictures}ENVIRONMENT: Your health is  $first_health."
    )
    assert moves["picture"].text == "Environment observation captured:"
    assert moves["invalid_script"].text.startswith(INVALID)
    with pytest.raises(ConfigError, match="is not empty"):
        convert([converted.folders[0].parent.parent / "program"], converted.folders[0].parent)


def test_the_supporting_material_alone_serves_and_what_it_lacks_is_said(tmp_path):
    done = convert([write_material(tmp_path / "material")], tmp_path / "out")
    prompts = prompts_of(ARENA, files=PromptFiles(folder=done.folders[0]))
    assert "prints them" in prompts.layout.source
    assert prompts["invalid_script"] == prompts_of(ARENA)["invalid_script"]
    assert len(done.notes) == 3
    assert all("LLM-AAI has the paper's" in note for note in done.notes)
    choices = effective(ARENA, "paper-experiment-2", {"demonstration": str(done.demonstration)}).choices
    shown = chosen_demonstration(choices)
    assert (len(shown.turns), sum(map(len, shown.pictures)) + len(shown.first_pictures)) == (42, 44)
    assert (shown.first_health, shown.turns[0].health, shown.turns[-1].health) == (99.9, 96.9, None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda root: (root / "src/definitions/prompts/prompts.py").write_text("PREAMBLES = {}"),
         r"prompts.py: N_SHOT\['character_prefix'\]: no text found"),
        (lambda root: (root / "src/definitions/prompts/prompts.py").write_text("x = ("), "not a Python file"),
        (lambda root: next(root.rglob("*.txt")).write_text("{'role'"), r"txt:1: no message of a session"),
        (lambda root: (root / "src").rename(root / "source"), "found neither src/definitions"),
    ],
)  # fmt: skip
def test_a_broken_checkout_is_one_clear_error(change, message, tmp_path):
    root = write_program(tmp_path / "program")
    change(root)
    with pytest.raises(ConfigError, match=message):
        convert([root], tmp_path / "out")


def of_protocol(name, prompts, **choices):
    return {topic for topic, _, _ in differences(effective(ARENA, name, choices).choices, prompts)}


def test_only_what_cannot_be_set_still_differs_with_the_papers_presets(converted):
    texts, moves = (prompts_of(ARENA, files=PromptFiles(folder=folder)) for folder in converted.folders)
    remaining = {
        *("`Go(--5);` and `Turn(--5);`", "replies cut off by the token limit", "failed requests"),
        *("arena", "pictures", "models", "safety settings (Gemini)"),
        *("temperature of Claude and of OpenAI's reasoning models", "further request fields (Claude)"),
    }
    shown = str(converted.demonstration)
    assert of_protocol("paper-experiment-1", texts) == remaining
    assert of_protocol("paper-experiment-2", texts, demonstration=shown) == remaining
    assert of_protocol("paper-experiment-2", texts) == remaining | {"demonstration, if any"}
    # Its texts are known as they are printed only.
    printed = remaining - {"`Go(--5);` and `Turn(--5);`"} | {"texts"}
    assert of_protocol("paper-frame-by-frame", moves) == printed


def test_every_choice_that_the_papers_preset_changes_is_on_the_list():
    """Changing any choice of the preset adds a point, or changes what a point says."""
    texts = prompts_of(ARENA)
    base = effective(ARENA, "paper-experiment-1", {}).choices
    other = {
        "battery": "any", "tasks": None, "animal_ai": "2", "trials": 1, "conversation": "run",
        "initial_idle_steps": (1,), "memory_turns": 3, "memory_characters": 9, "replies": "tools",
        "one_step": True, "strict": False, "max_scripts": 3, "loop_turns": 50, "thought_chars": 9,
        "observation": "both", "image_size": 64,
        "image_format": "png", "image_gutter": 0, "image_detail": "auto", "images_per_script": 2,
        "images": "last-1", "image_every": 5, "vision": "blind", "grayscale": True, "blur_px": 1.0,
        "resolution": 64, "temperature": None, "max_tokens": None, "stop": None, "demonstration": True,
        "reasoning_effort": "low", "reasoning_tokens": 9,
    }  # fmt: skip
    listed = list(differences(base, texts))
    for name, value in other.items():
        assert list(differences(base.model_copy(update={name: value}), texts)) != listed, name
    assert len({point.topic for point in LIST}) == len(LIST)


def test_show_and_the_methods_paragraph_have_the_same_list(converted, battery, tmp_path):
    request = asked(converted, battery, None, "arena/random", max_scripts=2, image_size=64)
    (short, said) = remarks_of(ARENA, request.effective.choices, request.prompts, None)
    assert short.endswith("as its program sends them, tolerant parsing, one trial.")
    run = evaluated(request, tmp_path / "logs").run
    methods = ArenaReport([run], frames=False).methods(run, {})
    assert said in methods
    assert "with: health. " in methods
    printed = CliRunner().invoke(app, ["eval", "--show", "--max-scripts", "2"]).output
    assert "Without a preset: arena-llm's own prompt, tolerant parsing, one trial." in printed
    assert "`Go(--5);` and `Turn(--5);`" in printed


def test_the_command_writes_texts_that_read_back_as_they_are(command, tmp_path):
    for suite, chosen in ((ARENA, ()), (get_suite("est"), ("--suite", "est"))):
        out = tmp_path / suite.name
        assert command("prompts", *chosen, "--out", out).returncode == 0
        assert prompts_of(suite, files=PromptFiles(folder=out)).sha256 == prompts_of(suite).sha256
    wrong = command("prompts", "--suite", "est", "--from", "x", "--out", tmp_path / "no")
    assert "--from: the paper's texts belong to arena" in wrong.stderr
    root = write_program(tmp_path / "program")
    said = command("prompts", "--from", root, "--out", tmp_path / "paper").stdout
    assert f"--prompts {tmp_path / 'paper' / 'experiments'}" in said
    assert "frame-by-frame: its texts are not in this material" in said
