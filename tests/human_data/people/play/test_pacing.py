"""What a connection is given, with a clock and a line of our own: no time is measured."""

import itertools

from human_data.people.play.pacing import LADDER, MOST_UNSEEN, STEP_S, Pacer

JPEG_BYTES = {512: 20_000, 384: 11_000, 256: 5_000}
"""Of middling pictures; the quality is left out, so that only size and rate can help."""


def play(pacer: Pacer, steps: int, seconds_per_byte: float, way_s: float = 0.0, start: int = 0) -> int:
    """Frames that arrive over a line of this speed while so many steps are taken."""
    numbers = itertools.count(10 * start + 1)
    free_at, arriving = start * STEP_S, []
    arrived = 0
    for step in range(start, start + steps):
        now = step * STEP_S
        while arriving and arriving[0][0] <= now:
            at, number = arriving.pop(0)
            pacer.acknowledged(number, at)
            arrived += 1
        if pacer.wants(step, now):
            number = next(numbers)
            pacer.sent(number, now)
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


def test_a_long_way_alone_costs_no_quality():
    pacer = Pacer()
    for _ in range(8):
        pacer.way(0.2)
    play(pacer, 300, 1e-9, way_s=0.2)
    assert pacer.rung == LADDER[0]


def test_a_picture_that_never_comes_is_waited_for_in_vain_only_once():
    pacer = Pacer()
    assert pacer.wants(1, 1.0)
    assert not pacer.wants(2, 1.06)
    assert pacer.wants(20, 2.1)


def test_a_frame_that_was_not_sent_is_no_news():
    assert not Pacer().acknowledged(1, 1.0)
