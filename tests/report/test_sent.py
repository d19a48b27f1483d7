"""What the model was sent is what the page shows, whatever could really be seen."""

import io
import re

import numpy as np
import pytest
from PIL import Image

from evaluation.log.exchanges import Exchange, Request, picture
from evaluation.log.run import RunLog, open_logs
from llm_control.choices import ArenaChoices
from report.build import write_log_report
from report.panels import Kind, kinds, sent_note
from tests.evaluation.verify.logs import rewritten
from tests.llm_control.batteries import run, shared_battery_of

SMALL = {"image_size": 64, "max_scripts": 3, "tasks": "01-04-03"}

battery = shared_battery_of((20, 16), (3, 3))


@pytest.fixture
def page(battery, tmp_path):
    """Makes a run and its report, and gives the text of its first episode's page and its log."""

    def make(**choices):
        log = run(battery, tmp_path / "logs", "arena/random", **{**SMALL, **choices}).log
        write_log_report(open_logs([(None, log)]), tmp_path / "report", frames=True)
        path = tmp_path / "report" / "episodes" / "arena-random" / "01-04-03_1.html"
        return path.read_text("utf-8"), RunLog(log)

    return make


def figures(text):
    """Class and picture of each figure of a turn."""
    return re.findall(r'<figure class="([a-z-]+)"><img [^>]*src="([^"]+)"', text)


def pixels(tmp_path, file):
    data = (tmp_path / "report" / "episodes" / "arena-random" / file).read_bytes()
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def test_an_ordinary_run_shows_the_pictures_of_its_log(page, tmp_path):
    text, log = page()
    shown = figures(text)
    assert [style for style, _ in shown] == ["sent"] * 5
    sent = next(log.episodes()).talk.pictures
    for (_, file), uri in zip(shown, sent, strict=True):
        # A picture is kept as WebP with losses.
        assert abs(pixels(tmp_path, file) - picture(uri).astype(int)).mean() < 4
    assert "Pictures were dropped" not in text


def test_a_blind_run_shows_black_pictures_and_the_true_views_as_not_sent(page, tmp_path):
    text, _ = page(vision="blind")
    shown = figures(text)
    sent = [file for style, file in shown if style == "sent"]
    true = [file for style, file in shown if style == "true"]
    assert (len(sent), len(true)) == (5, 5)
    assert all(pixels(tmp_path, file).max() == 0 for file in sent)
    assert all(pixels(tmp_path, file).mean() > 50 for file in true)
    assert text.count(Kind.TRUE) >= 5
    assert "A goal was in view, but the model was not sent it." in text
    assert "A goal is in view." not in text
    assert "never saw the goal" in text


@pytest.mark.parametrize(
    "choices", [{"vision": "shuffled", "tasks": None}, {"grayscale": True}, {"blur_px": 6}]
)
def test_a_changed_picture_stands_beside_the_true_one(choices, page, tmp_path):
    text, log = page(**choices)
    shown = figures(text)
    assert sorted(style for style, _ in shown) == ["sent"] * 5 + ["true"] * 5
    sent = next(log.episodes()).talk.pictures
    for file, uri in zip([file for style, file in shown if style == "sent"], sent, strict=True):
        assert abs(pixels(tmp_path, file) - picture(uri).astype(int)).mean() < 4


def test_a_budget_marks_what_was_left_out(page):
    text, _ = page(images="last-1")
    assert [style for style, _ in figures(text)] == ["left-out", "left-out", "sent", "sent", "sent"]
    assert "Pictures were dropped: in 3 of 3 turns" in text
    assert "Sent: 1 of the 5 pictures so far. 4 left out (images = last-1)." in text


def test_a_collage_is_shown_as_it_was_sent(page, tmp_path):
    text, _ = page(images="collage")
    shown = figures(text)
    assert [style for style, _ in shown] == ["collage"] * 3
    assert pixels(tmp_path, shown[0][1]).shape == (128, 128, 3)
    assert "one picture that combines all 5 so far" in text


def test_a_short_memory_is_told(page):
    text, _ = page(memory_turns=1)
    assert "no longer sent (memory_turns = 1)" in text
    assert "Pictures were dropped: in 1 of 3 turns" in text


def test_every_limit_of_the_memory_is_named():
    def said(**choices):
        return sent_note(Request(("c",), None, None), 3, ArenaChoices(**choices))

    assert said(memory_characters=90).endswith("2 no longer sent (memory_characters = 90).")
    both = said(memory_turns=1, memory_characters=90)
    assert both.endswith("2 no longer sent (memory_turns = 1 and memory_characters = 90).")


def test_words_are_shown_where_there_were_no_pictures(page):
    text, log = page(observation="text")
    assert {style for style, _ in figures(text)} == {"true"}
    told = next(log.episodes()).talk.exchanges[0].told
    assert "This is what you see now, from left to right" in told
    assert "This is what you see now, from left to right" in text
    assert "described in words" in text


def test_a_broken_picture_of_the_log_is_told(battery, tmp_path):
    def change(whole):
        whole.samples[0].messages[1].content[0].image = "data:image/png;base64,aGVsbG8="

    path = rewritten(run(battery, tmp_path / "logs", "arena/random", **SMALL).log, tmp_path, change)
    write_log_report(open_logs([(None, path)]), tmp_path / "report", frames=True)
    page = tmp_path / "report" / "episodes" / "arena-random" / "01-04-03_1.html"
    assert "A picture of this turn is broken in the log." in page.read_text("utf-8")


def test_the_new_pictures_are_the_last_places_of_a_request():
    def request(*slots):
        return Request(slots, None, None)

    def exchange(sent):
        return Exchange("Go(1);", 1, ("a", "b"), "", sent)

    assert kinds(exchange(request("x", "a", "b"))) == [Kind.SENT, Kind.SENT]
    assert kinds(exchange(request("x", None, "b"))) == [Kind.LEFT_OUT, Kind.SENT]
    assert kinds(exchange(request("b"))) == [Kind.LEFT_OUT, Kind.SENT]
    assert kinds(exchange(None)) == [Kind.UNKNOWN, Kind.UNKNOWN]
