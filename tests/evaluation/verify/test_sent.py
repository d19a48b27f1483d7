"""`arena-llm verify --frames`: controls, budgets of pictures and memory, compared with what was sent."""

import numpy as np
import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import ContentText

from evaluation.choices.run_choices import LEFT_OUT
from evaluation.log.exchanges import talk
from evaluation.verify.sources import Verdict
from tests.cases import cases
from tests.evaluation.test_image_budget import only_one
from tests.evaluation.verify.logs import as_content, checked, frame, images, put, rewritten
from tests.llm_control.batteries import ARENA, run, shared_battery_of
from tests.llm_control.provider import MODEL

CASES = cases(__file__)

SMALL = {"image_size": 32, "max_scripts": 4}

battery = shared_battery_of((20, 16), (24, 20))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES["followed"])
def test_each_choice_is_followed_picture_by_picture(name, battery, tmp_path):
    results = checked(
        run(battery, tmp_path, "arena/random", **{**SMALL, **CASES["followed"][name]}).log, frames=True
    )
    assert [(each.verdict, each.findings, each.notes) for each in results] == [(Verdict.AGREES, (), ())] * 2
    assert all(each.pictures >= each.turns for each in results)
    assert [each.requests for each in results] == [each.turns for each in results]


@pytest.mark.parametrize("vision", ["blind", "shuffled"])
def test_a_control_that_showed_the_true_picture_is_found(vision, battery, tmp_path):
    honest = run(battery, tmp_path / "true", "arena/random", **SMALL).log
    path = rewritten(honest, tmp_path, lambda w: put(w.plan.steps[0].params["choices"], "vision", vision))
    first = checked(path, frames=True)[0]
    assert first.verdict is Verdict.DIFFERS
    assert (first.findings[0].turn, first.findings[0].what) == (1, "picture")


def sent_again(sample):
    """The last request carries a picture that the budget leaves out."""
    event = [each for each in sample.events if each.event == "model"][-1]
    # Requests share their messages.
    event.input = [message.model_copy(deep=True) for message in event.input]
    for message in event.input:
        if isinstance(message.content, list):
            for place, part in enumerate(message.content):
                if part.type == "text" and part.text == LEFT_OUT:
                    message.content[place] = images(sample)[0][0][0]
                    return


def left_out(sample):
    """The last request lacks the last picture."""
    event = [each for each in sample.events if each.event == "model"][-1]
    content = event.input[-1].content
    content[0] = ContentText(text=LEFT_OUT)


def exchanged(sample):
    """The last request has another picture than the conversation."""
    event = [each for each in sample.events if each.event == "model"][-1]
    event.input[-1].content[0] = as_content(np.zeros((32, 32, 3), np.uint8))


@pytest.mark.parametrize(
    ("change", "told"), [(sent_again, "1, 5, 6"), (left_out, "5"), (exchanged, "1 of them not in")]
)
def test_a_request_that_is_not_what_the_budget_lets_through_is_found(change, told, battery, tmp_path):
    log = run(battery, tmp_path / "logs", "arena/random", images="last-2", **SMALL).log
    path = rewritten(log, tmp_path, lambda whole: change(whole.samples[0]))
    assert all(each.verdict is Verdict.AGREES for each in checked(path))
    first, second = checked(path, frames=True)
    (found,) = first.findings
    assert (found.turn, found.what) == (4, "pictures sent")
    assert told in found.logged
    assert found.replayed == "5, 6 of 6"
    assert second.verdict is Verdict.AGREES


def test_a_changed_collage_is_found(battery, tmp_path):
    def change(whole):
        event = [each for each in whole.samples[0].events if each.event == "model"][-1]
        content = event.input[-1].content
        place = next(k for k, part in enumerate(content) if part.type == "image")
        other = frame(content[place].image).copy()
        other[0, 0] ^= 1
        content[place] = as_content(other)

    log = run(battery, tmp_path / "logs", "arena/random", images="collage", **SMALL).log
    (found,) = checked(rewritten(log, tmp_path, change), frames=True)[0].findings
    assert (found.turn, found.what) == (4, "collage")


def test_a_view_in_words_is_compared_without_frames(battery, tmp_path):
    log = run(battery, tmp_path / "logs", "arena/random", observation="text", **SMALL).log
    assert [(each.verdict, each.notes) for each in checked(log)] == [(Verdict.AGREES, ())] * 2

    def change(whole):
        part = whole.samples[0].messages[1].content[-1]
        part.text = part.text.replace("ball", "cube")

    (found,) = checked(rewritten(log, tmp_path, change))[0].findings
    assert (found.turn, found.what) == (1, "observation")


def test_a_server_that_takes_one_picture_is_followed(battery, tmp_path, bodies_of):
    bodies_of(only_one)
    log = run(battery, tmp_path, MODEL, tasks="01-04-03", **SMALL).log
    (only,) = checked(log, frames=True)
    assert (only.verdict, only.requests) == (Verdict.AGREES, 4)
    said = talk(read_eval_log(str(log)).samples[0], ARENA)
    assert [each.request.budget for each in said.exchanges] == ["last-1"] * 4


def test_without_the_other_arenas_a_shuffled_log_says_that_pictures_are_not_compared(battery, tmp_path):
    log = run(battery, tmp_path / "logs", "arena/random", vision="shuffled", **SMALL).log
    path = rewritten(log, tmp_path, lambda w: [step.params.pop("tasks", None) for step in w.plan.steps])
    first = checked(path, frames=True, folder=battery)[0]
    assert (first.verdict, first.pictures) == (Verdict.AGREES, 0)
    assert "does not have the other tasks" in first.notes[0]
