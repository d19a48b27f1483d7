"""Predictions of calls, images, tokens and price, against real runs and by hand."""

from itertools import product

import pytest

from arena import Episode, load
from evaluation.estimate import estimate, image_tokens, picture_bytes
from render import Renderer
from render.image import data_uri, encoded
from tests.cases import cases
from tests.evaluation.test_evaluate import png_of
from tests.llm_control.batteries import battery_of, eval_request, run
from tests.llm_control.provider import MODEL, answer

CASES = cases(__file__)

SMALL = {"image_size": 16, "max_scripts": 3, "trials": 2}

battery = battery_of((20, 16), (24, 20))


@pytest.mark.parametrize("choices", CASES["choices"], ids=str)
def test_calls_and_images_are_those_of_a_run(choices, battery, tmp_path, bodies_of, monkeypatch):
    bodies = bodies_of(lambda _: answer("Turn(6);"))
    monkeypatch.delenv("OPENAI_API_KEY")
    predicted = estimate(eval_request(MODEL, battery, choices={**SMALL, **choices}))
    assert bodies == []
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    run(battery, tmp_path / "logs", MODEL, **SMALL, **choices)
    assert predicted.episodes == 4
    assert predicted.calls == len(bodies)
    assert predicted.images == sum(len(png_of(body)) for body in bodies)


def test_a_price_follows_from_tokens_and_an_unknown_one_is_unknown(battery, tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text(f"{MODEL}: {{input: 1000000, output: 0}}\nlocal/model: {{input: 1, output: 1}}\n")
    known = estimate(eval_request(MODEL, battery, choices=SMALL), prices)
    assert known.cost == known.input_tokens
    assert known.input_tokens > known.images * 255
    assert estimate(eval_request("openai/nosuch", battery, choices=SMALL)).cost is None
    assert estimate(eval_request("local/model", battery, choices=SMALL), prices).cost is None
    words = estimate(eval_request("local/model", battery, choices={**SMALL, "observation": "text"}), prices)
    assert words.cost > 0


@pytest.mark.parametrize(("model", "side", "tokens"), CASES["tokens_of_a_picture"])
def test_tokens_of_a_picture(model, side, tokens):
    assert image_tokens(model, side) == tokens


def test_a_gutter_makes_a_second_tile_and_low_detail_none(battery):
    assert image_tokens(MODEL, 512, 516) == 85 + 2 * 170
    assert image_tokens(MODEL, 512, 516, "low") == 85
    assert image_tokens("anthropic/claude-3-5-sonnet-latest", 512, 516) == 353
    choices = {"image_gutter": 2, "image_detail": "high", "max_scripts": 1}
    assert estimate(eval_request(MODEL, battery, choices=choices)).image_tokens == 425


def test_jpeg_pictures_are_counted_as_such(battery):
    with Episode(load(battery / "01-04-03.yaml").arenas[0], task_id="any") as episode:
        frame = Renderer(512, 512).frame(episode.scene())
    for kind in ("jpeg", "png"):
        sent = len(data_uri(encoded(frame, kind)))
        assert picture_bytes(512, kind) / 3 < sent < picture_bytes(512, kind) * 1.1


@pytest.fixture
def said_by_the_command(command):
    return lambda *arguments: command("estimate", *arguments).succeeded()


def test_the_command_says_unknown(battery, said_by_the_command):
    said = said_by_the_command("--model", "ollama/any", "--testbed", battery, "--turns", "2")
    assert "The price of ollama/any is unknown" in said
    assert said.count("unknown") == 5
    assert "with 2 replies" in said
    assert "at most" not in said


@pytest.mark.parametrize("protocol", ["frame-by-frame", "no-script-limit"])
def test_at_most_is_said_only_of_what_is_bounded(protocol, battery, said_by_the_command):
    text = said_by_the_command("--model", "gpt-4o", "--testbed", battery, "--protocol", protocol)
    bounded = protocol == "frame-by-frame"
    assert ("with 250 replies" in text) == ("at most 500" in text) == bounded != ("No bound" in text)
    assert "at most $" not in text
    assert (estimate(eval_request(MODEL, battery, protocol=protocol)) is None) != bounded


def test_what_a_cache_saves_is_what_requests_repeat(battery, tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text(f"{MODEL}: {{input: 10, output: 0, cache_read: 1}}\n")
    choices = {"max_scripts": 2, "tasks": "01-04-03", "image_size": 512}
    one, two = (estimate(eval_request(MODEL, battery, choices=choices), prices, turns) for turns in (1, 2))
    assert one.cost == one.cached_cost
    assert two.cost - two.cached_cost == pytest.approx(9e-6 * one.input_tokens)
    short = estimate(eval_request(MODEL, battery, choices={**choices, "memory_turns": 1}), prices)
    assert short.cost == short.cached_cost


def test_a_memory_of_characters_is_that_of_the_turns_that_fit(battery):
    def of(**choices):
        found = estimate(eval_request(MODEL, battery, choices={**SMALL, "max_scripts": 5, **choices}))
        return found.calls, found.images, found.most_images

    # The text after a reply is assumed to have 60 tokens, a reply 80, each of 4 characters.
    assert of(memory_characters=2 * 560 - 1) == of(memory_turns=1) != of(memory_turns=2)
    assert of(memory_characters=559) == of(memory_turns=0)
    assert of(memory_characters=10**9) == of()
    assert of(memory_turns=2, memory_characters=560) == of(memory_turns=1)
    assert of(memory_turns=1, memory_characters=10**9) == of(memory_turns=1)


def test_a_provider_that_takes_fewer_pictures_is_named(battery, said_by_the_command):
    options = ("--testbed", battery, "--tasks", "01-04-03", "--protocol", "frame-by-frame")
    said = said_by_the_command("--model", "anthropic/claude-sonnet-4-0", *options)
    assert "The largest request may have 252 pictures, and anthropic accepts 100" in said
    assert "may have 38 MB of pictures, and anthropic accepts 32" in said
    assert "The largest" not in said_by_the_command("--model", "gpt-4o", *options, "--image-size", "128")


def test_the_command_says_how_old_prices_are_and_where_to_change_them(battery, tmp_path, said_by_the_command):
    shipped = said_by_the_command("--model", "gpt-4o", "--testbed", battery)
    assert "$2.5 in, $10 out, as of 2025, not verified; edit a copy of" in shipped
    assert "prices.yaml and pass it with --prices" in shipped
    assert "providers' rules as of 2025, not verified" in shipped
    own = tmp_path / "mine.yaml"
    own.write_text("as_of: 2031-05-04\nopenai/gpt-4o: {input: 7, output: 8}\n")
    mine = said_by_the_command("--model", "gpt-4o", "--testbed", battery, "--prices", own)
    assert f"$7 in, $8 out, as of 2031-05-04, not verified; edit {own}." in mine
    own.write_text("openai/gpt-4o: {input: 7, output: 8}\n")
    undated = said_by_the_command("--model", "gpt-4o", "--testbed", battery, "--prices", own)
    assert "$7 in, $8 out, without a date, not verified" in undated
    offline = said_by_the_command("--model", "arena/oracle", "--testbed", battery)
    assert "$0.00" in offline
    assert "costs nothing" in offline


def test_the_command_says_which_difference_the_run_could_find(said_by_the_command):
    tasks = [f"0{level}-0{number}-0{v}" for level, number, v in product((1, 2, 3), (1, 2, 3, 4), (1, 2, 3))]
    options = ("--model", "arena/random", "--tasks", ",".join(tasks))
    few, many = (said_by_the_command(*options, "--trials", trials) for trials in (1, 3))
    assert "36 tasks, 1 trial each" in few
    assert "36 tasks, 3 trials each" in many
    assert "12 groups of variants" in many
    assert "find is 41 percentage points" in few
    assert "find is 35 percentage points" in many
    assert "about 50% are passed" in many
    assert "correlate by 0.5, what two agents find hard by 0.5" in many
    assumed = ("--pass-rate", 0.9, "--trials-alike", 0.25, "--agents-alike", 1)
    other = said_by_the_command(*options, "--trials", 3, *assumed)
    assert "about 90% are passed" in other
    assert "correlate by 0.25, what two agents find hard by 1" in other
    assert "find is 11 percentage points" in other


def test_the_command_says_where_no_difference_can_be_found(said_by_the_command):
    one = said_by_the_command("--model", "arena/random", "--tasks", "01-01-01,01-01-02")
    assert "no difference can be distinguished from chance" in one
    two = said_by_the_command("--model", "arena/random", "--tasks", "01-01-01,01-02-01")
    assert "no difference can be relied on" in two
