"""Doing as the paper did: its texts converted, its first request, and what still differs."""

import base64

import pytest
from werkzeug import Request, Response

from evaluation.verify.result import Verdict
from llm_control.paper.convert import convert
from render import decode
from tests.evaluation.verify.logs import checked
from tests.llm_control.batteries import eval_request, evaluated, write_battery
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

ONE_TASK = {"trials": 1, "tasks": "01-04-03"}


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    root = tmp_path_factory.mktemp("paper")
    return convert([write_material(root / "material"), write_program(root / "program")], root / "out")


@pytest.fixture
def battery(tmp_path):
    return write_battery(tmp_path / "battery", (20, 16), t=1000)


@pytest.fixture
def requests(httpserver, monkeypatch):
    """The bodies of the requests; the model says something wrong, then drives."""
    bodies = []

    def serve(request: Request) -> Response:
        bodies.append(request.get_json())
        return answer(["What?", "Go(1);", "Go(30);"][min(len(bodies), 3) - 1])

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(serve)
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    return bodies


def asked(converted, battery, protocol="paper-experiment-1", model=MODEL, folder=0, **choices):
    request = eval_request(model, battery, protocol=protocol, choices={**ONE_TASK, **choices})
    return type(request)(**{**vars(request), "texts": converted.folders[folder]})


def text(value):
    return {"type": "text", "text": value}


def images(body, message=0):
    parts = body["messages"][message]["content"]
    return [part["image_url"] for part in parts if part["type"] == "image_url"]


def without_pixels(parts):
    return [part if part["type"] == "text" else part["type"] for part in parts]


def test_the_first_request_of_experiment_1_is_the_papers(converted, battery, requests, tmp_path):
    result = evaluated(asked(converted, battery), tmp_path / "logs")
    first = requests[0]
    # What `GPTSession.prompt` passes to the API, besides the history.
    assert {key: value for key, value in first.items() if key != "messages"} == {
        "model": "gpt-4o",
        "max_tokens": 1024,
        "temperature": 0.0,
        "stop": ["<EOS>"],
    }
    # One message of the user: what `create_background_prompt`, the send-off and three observations give, and
    # the health after the first of the 49 steps (0.06 each in an episode of t = 1000).
    (message,) = first["messages"]
    assert message["role"] == "user"
    assert without_pixels(message["content"]) == [
        text(BACKGROUND + SEND_OFF + LABEL),
        "image_url",
        text(LABEL),
        "image_url",
        text(LABEL),
        "image_url",
        text(STATED.format(99.9)),
    ]
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
    assert without_pixels(third[2]["content"]) == [
        text(INVALID + LABEL),
        "image_url",
        text(STATED.format(100 - 50 * 0.06)),
    ]
    assert without_pixels(third[4]["content"]) == [
        text(LABEL),
        "image_url",
        text(STATED.format(100 - 51 * 0.06)),
    ]


def test_the_demonstration_of_experiment_2_is_in_the_first_message(converted, battery, requests, tmp_path):
    shown = {"demonstration": str(converted.demonstration)}
    request = asked(converted, battery, "paper-experiment-2", **shown)
    log = evaluated(request, tmp_path / "logs").log
    (message,) = requests[0]["messages"]
    seen = [part for k in (1, 2) for part in (text("assistant: " + SCRIPTS[k - 1]), text("user: " + LABEL),
            "image_url", text(STATED.format(HEALTHS[k])))]  # fmt: skip
    assert without_pixels(message["content"]) == [
        text(BACKGROUND + INTRO),
        text("Example:\n"),
        text("user: "),
        *("image_url", text(LABEL), "image_url", text(LABEL), "image_url", text(STATED.format(99.9))),
        *seen,
        text("assistant: " + SCRIPTS[2] + "\n" + SEND_OFF + LABEL),
        *("image_url", text(LABEL), "image_url", text(LABEL), "image_url", text(STATED.format(99.9))),
    ]
    sent = [base64.b64decode(image["url"].partition(",")[2]) for image in images(requests[0])]
    assert sent[:5] == [picture(number) for number in range(5)]
    (verified,) = checked(log, frames=True)
    assert verified.verdict is Verdict.AGREES, verified
    assert verified.pictures == 5 + 3 + 2
    converted.demonstration.touch()


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


def test_a_broken_off_run_with_a_folder_of_texts_is_resumed(
    converted, battery, requests, tmp_path, monkeypatch
):
    from evaluation.generation.budget import RunLimits

    request = asked(converted, battery)
    broken = evaluated(request, tmp_path / "logs", limits=RunLimits(tokens=0))
    assert not broken.complete
    monkeypatch.chdir(tmp_path)
    done = evaluated(asked(converted, battery), tmp_path / "logs", resume=True)
    assert done.complete
    assert requests[0]["messages"][0]["content"][0] == text(BACKGROUND + SEND_OFF + LABEL)
    (verified,) = checked(done.log, frames=True)
    assert verified.verdict is Verdict.AGREES
