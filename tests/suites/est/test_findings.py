"""What a report says of beliefs and trials, counted by hand."""

import math
import re

import pytest

from suites.est.findings import brier, calibration, run_panels
from tests.suites.est.test_suite import opened, played


def record(*beliefs, blickets=(0, 1)):
    turns = [{"belief": list(belief), "belief_given": True} for belief in beliefs]
    return {"turns": turns, "replay": {"blickets": list(blickets)}}


def test_calibration_counts_objects_by_what_was_stated():
    episodes = [record([0.95] * 2 + [0.05] * 7), record([0.95] * 4 + [0.55] * 5, blickets=(0, 8))]
    low, middle, high = calibration(episodes)
    assert [(each.number, each.stated) for each in (low, middle, high)] == [
        (7, pytest.approx(0.05)),
        (5, pytest.approx(0.55)),
        (6, pytest.approx(0.95)),
    ]
    assert (low.share, middle.share, high.share) == (0, 0.2, 0.5)
    assert all(each.interval[0] <= each.share <= each.interval[1] for each in (low, middle, high))
    # Eight of nine are off by 0.05, then three Blickets' worth by 0.95 and so on.
    first, second = 9 * 0.05**2, 0.05**2 + 3 * 0.95**2 + 4 * 0.55**2 + 0.45**2
    assert brier(episodes) == pytest.approx((first + second) / 18)


def test_beliefs_that_were_not_given_do_not_count():
    silent = {"turns": [{"belief": [0.5] * 9, "belief_given": False}], "replay": {"blickets": [0]}}
    assert calibration([silent]) == []
    assert math.isnan(brier([silent]))


@pytest.mark.parametrize(("machine", "beside"), [("est", True), ("ivre", False)])
def test_the_papers_rows_stand_beside_its_own_machine_alone(machine, beside):
    records = [played("search-informative", *opened(n, machine=machine)).as_dict() for n in range(3)]
    (_, figures), (_, steps), (_, _calibration) = run_panels({"mine": records})
    assert ("paper: search-naive" in figures) == beside
    # The best trials leave no regret, and the exact belief no distance.
    assert re.search(r'>4</td><td class="num">3</td><td class="num">0.000</td>.*>0.000</td></tr>', steps)
    assert run_panels({"nobody": []}) == []
