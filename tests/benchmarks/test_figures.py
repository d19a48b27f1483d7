"""What the benchmarks count and print. How fast anything is, no test says."""

import pytest

from benchmarks.figures import OURS, Figures, ratios, spreads


@pytest.fixture
def figures():
    """Ours and a peer in three rounds, and another that did less."""
    found = Figures()
    for number, (ours, peer) in enumerate(((10, 10), (30, 10), (40, 20))):
        found.add("frames/s", OURS, "84 x 84", "per second", number, {"scene": ours})
        found.add("frames/s", "peer", "84 x 84", "per second", number, {"scene": peer})
        found.add("frames/s", f"{OURS}, held", "no picture", "per second", number, {"scene": peer})
    return found


def test_ratios_are_taken_round_by_round(figures):
    found = ratios(figures.frame)
    assert found.index.to_list() == [("peer", "84 x 84")]
    assert found.loc[("peer", "84 x 84")].to_list() == [2, 1, 3]


def test_percentiles_are_over_subjects_and_the_spread_over_rounds():
    figures = Figures()
    for number, values in enumerate(([1, 2, 30], [3, 4, 50], [5, 6, 40])):
        figures.add("tasks", "rays", "one", "steps/s", number, dict(zip("abc", values, strict=True)))
    row = spreads(figures.frame).loc[("rays", "one")]
    assert row[["median", "min", "max"]].to_list() == [4, 2, 6]
    assert row[["subjects", "middle", "10 %", "90 %"]].to_list() == pytest.approx([3, 4, 3.2, 32.8])
