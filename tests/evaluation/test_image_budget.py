"""The image budget: what is sent, what stands in its place, and what the log says of it."""

import base64
import json

import numpy as np
import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import ContentImage

from arena import ConfigError
from evaluation.choices.effective import effective
from evaluation.choices.run_choices import COLLAGE_PX, LEFT_OUT, kept_images
from evaluation.generation.memory import ImageBudget, collage
from render import decode, png
from tests.cases import cases
from tests.evaluation.test_evaluate import png_of
from tests.llm_control.batteries import ARENA, battery_of, run
from tests.llm_control.provider import MODEL, answer, failure

CASES = cases(__file__)

SMALL = {"image_size": 16, "initial_idle_steps": "1", "max_scripts": 4, "tasks": "01-04-03"}


def only_one(bodies):
    """As vLLM refuses requests with more than one picture."""
    if len(png_of(bodies[-1])) > 1:
        return failure(400, "At most 1 image(s) may be provided in one prompt.")
    return turned(bodies)


def turned(_bodies):
    return answer("Turn(30);")


battery = battery_of((20, 16))


def told(result, key):
    events = read_eval_log(str(result.log)).samples[0].events
    return [e.data for e in events if e.event == "info" and key in (e.data or {})]


@pytest.mark.parametrize(("rule", "counts", "left_out"), CASES["rules"])
def test_as_many_pictures_are_sent_as_the_budget_says(rule, counts, left_out, bodies_of, battery, tmp_path):
    bodies = bodies_of(turned)
    result = run(battery, tmp_path / "logs", MODEL, images=rule, **SMALL)
    assert [len(png_of(body)) for body in bodies] == counts
    assert len(set(png_of(bodies[-1]))) == counts[-1]
    assert kept_images(rule, 0) == set()
    assert (LEFT_OUT in json.dumps(bodies[-1])) == bool(left_out)
    assert [data["left out"] for data in told(result, "left out")][-1:] == left_out
    if rule == "first+last":
        assert png_of(bodies[-1])[0] == png_of(bodies[0])[0]


def test_a_collage_has_every_picture_row_by_row(bodies_of, battery, tmp_path):
    bodies = bodies_of(turned)
    run(battery, tmp_path / "logs", MODEL, images="collage", **SMALL)
    assert [len(png_of(body)) for body in bodies[:4]] == [1, 1, 1, 1]
    first = decode(png_of(bodies[0])[0])
    whole = decode(png_of(bodies[3])[0])
    assert whole.shape == (32, 32, 3)
    assert np.array_equal(whole[:16, :16], first)
    assert not np.array_equal(whole[16:, 16:], first)


def test_a_collage_of_many_pictures_stays_small():
    frame = np.zeros((512, 512, 3), np.uint8)
    image = ContentImage(image="data:image/png;base64," + base64.b64encode(png(frame)).decode())
    whole = decode(base64.b64decode(collage([image] * 26).image.partition(",")[2]))
    assert max(whole.shape) <= COLLAGE_PX


def test_a_server_that_takes_one_picture_gets_the_last_and_the_log_says_so(bodies_of, battery, tmp_path):
    bodies = bodies_of(only_one)
    result = run(battery, tmp_path / "logs", MODEL, **SMALL)
    assert [len(png_of(body)) for body in bodies] == [1, 2, 1, 1, 1]
    assert result.rows[0].turns == 4
    assert [data["instead of"] for data in told(result, "instead of")] == ["all"]
    assert png_of(bodies[1])[1] == png_of(bodies[2])[0]


@pytest.mark.parametrize(("text", "one"), CASES["refusals"])
def test_which_errors_mean_one_picture(text, one):
    assert ImageBudget("all").give_way(Exception(text)) == one


@pytest.mark.parametrize("wrong", ["last-0", "last", "none of them", "last-1x"])
def test_a_wrong_budget_is_refused(wrong):
    with pytest.raises(ConfigError, match="images"):
        effective(ARENA, None, {"images": wrong})
