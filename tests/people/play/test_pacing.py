"""Adaptation to a connection, with a simulated clock and line."""

import itertools
import random
from collections.abc import Callable

import pytest

from arena.action import STEP_S
from people.play.pacing import (
    MAX_IN_FLIGHT,
    MIN_IN_FLIGHT,
    QUALITY_LEVELS,
    VERY_LATE_FRAMES,
    Pacer,
    QualityLevel,
    Sent,
)

JPEG_BYTES = {512: 20_000, 384: 11_000, 256: 5_000}
"""Typical sizes; quality is ignored, so that only size and rate can help."""


def play(
    pacer: Pacer,
    steps: int,
    seconds_per_byte: float,
    delay_s: float = 0.0,
    start: int = 0,
    measured: bool = True,
) -> int:
    """The number of frames that arrive over a line of this speed while steps are taken."""
    numbers = itertools.count(10 * start + 1)
    free_at, arriving = start * STEP_S, []
    arrived = 0
    if measured:
        pacer.measured(delay_s)
    for step in range(start, start + steps):
        now = step * STEP_S
        while arriving and arriving[0][0] <= now:
            at, number = arriving.pop(0)
            pacer.acknowledged(number, at)
            arrived += 1
        if pacer.should_draw(step, now):
            number = next(numbers)
            pacer.sent(number, Sent(now, now))
            free_at = max(free_at, now) + JPEG_BYTES[pacer.level.size] * seconds_per_byte
            arriving.append((free_at + delay_s, number))
        assert pacer.in_flight <= MAX_IN_FLIGHT
    return arrived


def watch(pacer: Pacer, steps: range, delay_s: Callable[[float], float]) -> list[tuple[float, int]]:
    """The seconds and levels of steps on a line with this delay at each second, whatever the size."""
    pacer.measured(0.003)
    arriving, levels = [], []
    for step in steps:
        now = step * STEP_S
        for at, number in sorted(each for each in arriving if each[0] <= now):
            pacer.acknowledged(number, at)
            arriving.remove((at, number))
        if pacer.should_draw(step, now):
            pacer.sent(step, Sent(now, now))
            arriving.append((now + delay_s(now), step))
        levels.append((now, pacer.level_number))
    return levels


def test_a_slow_line_loses_quality_then_size_then_rate():
    seen = []
    for kilobytes_per_s in (1000, 150, 70, 20):
        pacer = Pacer()
        play(pacer, 1500, 1 / (1000 * kilobytes_per_s))
        seen.append(pacer.level)
    assert [level.size for level in seen] == [512, 256, 256, 256] or [level.size for level in seen][1] == 384
    assert seen[0] == QUALITY_LEVELS[0]
    assert seen[-1].interval > 1
    sizes = [(level.interval, -level.size, -level.quality) for level in QUALITY_LEVELS]
    assert sizes == sorted(sizes)


TROUBLES = [(10, 16, 16), (120, 8, 16), (240, 12, 16), (10, 4, 6), (5, 18, 24), (30, 15, 24)]


@pytest.mark.parametrize(("trouble_s", "bad_s", "of_s"), TROUBLES)
def test_full_quality_is_back_within_five_seconds_however_long_the_trouble_was(trouble_s, bad_s, of_s):
    chance = random.Random(trouble_s)

    def delay_s(now: float) -> float:
        bad = now < trouble_s and now % of_s < bad_s
        return chance.uniform(0.1, 0.4) if bad else chance.uniform(0.01, 0.03)

    levels = watch(Pacer(), range(round((trouble_s + 30) / STEP_S)), delay_s)
    assert max(level for now, level in levels if now < trouble_s) >= len(QUALITY_LEVELS) - 2
    assert not any(level for now, level in levels if now > trouble_s + 5)


def test_a_client_that_is_always_a_little_slow_gets_the_full_picture_again():
    chance = random.Random(1)

    def delay_s(now: float) -> float:
        return chance.uniform(0.15, 0.3) if now < 10 else chance.uniform(0.055, 0.085)

    assert not any(level for now, level in watch(Pacer(), range(1000), delay_s) if now > 20)


def test_a_slow_line_is_seldom_tried_with_pictures_that_are_too_large():
    pacer = Pacer()
    play(pacer, 500, 1 / 100_000)
    assert play(pacer, 2000, 1 / 100_000, start=1000) >= 1800


def test_another_trial_begins_with_the_best_picture():
    pacer = Pacer()
    play(pacer, 300, 1 / 20_000)
    assert pacer.level.interval > 1
    pacer.restart()
    assert pacer.level == QUALITY_LEVELS[0]
    assert pacer.in_flight == 0
    assert play(pacer, 200, 1e-9, start=400) >= 199


def test_a_fixed_picture_stays_whatever_the_line_does():
    pacer, fixed = Pacer(), QualityLevel(384, 60, 1)
    pacer.restart(fixed)
    play(pacer, 300, 1 / 20_000)
    pacer.gave_up(20.0)
    assert pacer.level == fixed


FRAMES = {0.0: (299, 300), 0.1: (290, 300), 0.2: (290, 300), 0.35: (290, 300), 1.0: (101, 199)}


@pytest.mark.parametrize(("delay_s", "bounds"), FRAMES.items())
def test_a_long_distance_alone_costs_no_quality_and_frames_only_where_it_is_very_long(delay_s, bounds):
    pacer = Pacer()
    assert bounds[0] <= play(pacer, 300, 1e-9, delay_s=delay_s) <= bounds[1]
    assert pacer.level == QUALITY_LEVELS[0]


def test_few_frames_are_in_flight_while_they_queue_up():
    pacer = Pacer()
    pacer.measured(0.2)
    assert pacer.max_in_flight == 5
    for number in range(1, VERY_LATE_FRAMES + 1):
        pacer.sent(number, Sent(0.0, 0.0))
        pacer.acknowledged(number, 0.5)
    assert pacer.max_in_flight == MIN_IN_FLIGHT


def test_a_round_trip_that_was_measured_too_long_is_corrected_by_the_frames():
    pacer = Pacer()
    pacer.measured(0.4)
    play(pacer, 30, 1e-9, delay_s=0.0)
    assert pacer.round_trip_s < 0.1
    assert pacer.max_in_flight == MIN_IN_FLIGHT


def test_a_round_trip_that_grows_is_measured_again_and_then_costs_nothing():
    pacer = Pacer()
    play(pacer, 50, 1e-9)
    assert not pacer.doubtful
    play(pacer, 50, 1e-9, delay_s=0.3, start=100, measured=False)
    assert pacer.doubtful
    play(pacer, 1000, 1e-9, delay_s=0.3, start=200)
    assert not pacer.doubtful
    assert pacer.level == QUALITY_LEVELS[0]


def test_a_game_that_had_to_pause_continues_with_smaller_pictures():
    pacer = Pacer()
    assert pacer.should_draw(1, 1.0)
    pacer.sent(1, Sent(1.0, 1.0, (1, "first")))
    pacer.gave_up(2.1)
    assert pacer.level == QUALITY_LEVELS[3]
    # Nothing else is requested until that picture has come through.
    assert not pacer.should_draw_still(20, 2.1)
    assert pacer.acknowledged(1, 2.6)[1].shows == (1, "first")
    assert pacer.should_draw_still(20, 2.6)
    for _ in QUALITY_LEVELS:
        pacer.gave_up(3.0)
    assert pacer.level == QUALITY_LEVELS[-1]


def test_an_image_that_never_comes_is_given_up():
    pacer = Pacer()
    assert pacer.should_draw(1, 1.0)
    assert not pacer.should_draw(2, 1.06)
    assert pacer.should_draw(20, 2.1)


def test_a_frame_that_was_not_sent_is_ignored():
    assert not Pacer().acknowledged(1, 1.0)
