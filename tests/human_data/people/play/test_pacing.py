"""What a connection is given, with a clock and a line of our own: no time is measured."""

import itertools

import pytest

from arena.action import STEP_S
from human_data.people.play.pacing import LADDER, LEAST_UNSEEN, MOST_UNSEEN, VERY_FEW, Pacer

JPEG_BYTES = {512: 20_000, 384: 11_000, 256: 5_000}
"""Of middling pictures; the quality is left out, so that only size and rate can help."""


def play(
    pacer: Pacer,
    steps: int,
    seconds_per_byte: float,
    way_s: float = 0.0,
    start: int = 0,
    measured: bool = True,
) -> int:
    """Frames that arrive over a line of this speed while so many steps are taken."""
    numbers = itertools.count(10 * start + 1)
    free_at, arriving = start * STEP_S, []
    arrived = 0
    if measured:
        pacer.way(way_s)
    for step in range(start, start + steps):
        now = step * STEP_S
        while arriving and arriving[0][0] <= now:
            at, number = arriving.pop(0)
            pacer.acknowledged(number, at)
            arrived += 1
        if pacer.wants(step, now):
            number = next(numbers)
            pacer.sent(number, now, now)
            free_at = max(free_at, now) + JPEG_BYTES[pacer.rung.size] * seconds_per_byte
            arriving.append((free_at + way_s, number))
        assert pacer.unseen <= MOST_UNSEEN
    return arrived


def test_a_fast_line_gets_every_step_in_full():
    pacer = Pacer()
    assert play(pacer, 200, 1e-9) >= 199
    assert pacer.rung == LADDER[0]


def test_a_slow_line_loses_quality_then_size_then_rate():
    seen = []
    for kilobytes_per_s in (1000, 150, 70, 20):
        pacer = Pacer()
        play(pacer, 1500, 1 / (1000 * kilobytes_per_s))
        seen.append(pacer.rung)
    assert [rung.size for rung in seen] == [512, 256, 256, 256] or [rung.size for rung in seen][1] == 384
    assert seen[0] == LADDER[0]
    assert seen[-1].every > 1
    sizes = [(rung.every, -rung.size, -rung.quality) for rung in LADDER]
    assert sizes == sorted(sizes)


def test_a_line_that_recovers_gets_the_full_picture_back():
    pacer = Pacer()
    play(pacer, 300, 1 / 40_000)
    assert pacer.rung.size == 256
    play(pacer, 6000, 1e-9, start=1000)
    assert pacer.rung == LADDER[0]


@pytest.mark.parametrize("way_s", [0.1, 0.2, 0.35])
def test_a_long_way_alone_costs_neither_quality_nor_frames(way_s):
    pacer = Pacer()
    frames = play(pacer, 300, 1e-9, way_s=way_s)
    assert pacer.rung == LADDER[0]
    assert frames >= 290


def test_a_very_long_way_holds_so_many_frames_only():
    pacer = Pacer()
    frames = play(pacer, 300, 1e-9, way_s=1.0)
    assert pacer.rung == LADDER[0]
    assert 100 < frames < 200


def test_where_frames_queue_up_few_are_on_their_way():
    pacer = Pacer()
    pacer.way(0.2)
    assert pacer.most_unseen == 5
    for number in range(1, VERY_FEW + 1):
        pacer.sent(number, 0.0, 0.0)
        pacer.acknowledged(number, 0.5)
    assert pacer.most_unseen == LEAST_UNSEEN


def test_a_way_that_was_measured_too_long_is_corrected_by_the_frames():
    pacer = Pacer()
    pacer.way(0.4)
    play(pacer, 30, 1e-9, way_s=0.0)
    assert pacer.way_s < 0.1
    assert pacer.most_unseen == LEAST_UNSEEN


def test_a_way_that_grows_longer_is_measured_again_and_costs_nothing_then():
    pacer = Pacer()
    play(pacer, 50, 1e-9)
    assert not pacer.doubtful
    play(pacer, 50, 1e-9, way_s=0.3, start=100, measured=False)
    assert pacer.doubtful
    play(pacer, 1000, 1e-9, way_s=0.3, start=200)
    assert not pacer.doubtful
    assert pacer.rung == LADDER[0]


def test_a_picture_that_never_comes_is_waited_for_in_vain_only_once():
    pacer = Pacer()
    assert pacer.wants(1, 1.0)
    assert not pacer.wants(2, 1.06)
    assert pacer.wants(20, 2.1)


def test_a_frame_that_was_not_sent_is_no_news():
    assert not Pacer().acknowledged(1, 1.0)
