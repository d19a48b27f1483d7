"""The reference agents: the rows of the paper's Table 2, and what lies beyond it."""

import numpy as np
import pytest

from benchmarks.est import measure
from suites.est.agents import AGENTS, Naive
from suites.est.findings import published
from suites.est.world import PRESETS, Machines

EST = PRESETS["est"]

EXPECTED = {
    "random": ((0.815, 0.093), (-5.693, 0.023), (1.976, 0.143), (-14.230, 0.041)),
    "naive": ((1.824, 0.139), (-3.922, 0.032), (25.99, 0.44), (-4.990, 0.103)),
    "search-random": ((0.297, 0.066), (-3.937, 0.014), (2.639, 0.141), (-9.376, 0.034)),
    "search-naive": ((0.297, 0.066), (-3.937, 0.014), (37.38, 0.39), (-1.545, 0.090)),
}
"""Means of 30 runs of 10,000 episodes with the paper's rules by another simulator, and a run's spread."""


@pytest.mark.parametrize("runs", [1, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", EXPECTED)
def test_table_2_is_reproduced(name, runs):
    """The means agree within 3.5 of their errors: 16 figures are looked at."""
    found = measure(name, EST, 10_000, runs, seed=11).mean(axis=0)
    for mean, (expected, spread) in zip(found, EXPECTED[name], strict=True):
        assert mean == pytest.approx(expected, abs=3.5 * spread * (1 / runs + 1 / 30) ** 0.5), (name, found)


def test_the_papers_own_figures_are_within_the_error_of_one_run():
    """Except for the row of Bayes, which no reading reproduces, and two figures of others."""
    paper = published()
    assert paper.keys() == {*EXPECTED, "bayes"}
    off = {
        (name, place)
        for name, row in EXPECTED.items()
        for place, (mean, spread) in enumerate(row)
        if abs(paper[name][place] - mean) > 2 * spread
    }
    assert off == {("search-random", 1), ("random", 3)}


def beliefs_of_naive(*seen):
    """What the naive agent believes of objects 0 and 1 after panels of these objects, each lit or not."""
    agent = Naive(1, np.random.default_rng(0))
    for objects, lit in seen:
        found = agent.act(np.isin(np.arange(9), objects)[None], np.array([lit])).beliefs[0]
    return found[0], found[1]


def test_the_naive_agent_keeps_what_it_knows_of_a_light():
    """A light changes beliefs between 0 and 0.99 only; darkness lowers any."""
    assert beliefs_of_naive(([0], True), ([0, 1], True))[0] == 1
    assert beliefs_of_naive(([0], False), ([0, 1], True))[0] == 0
    assert beliefs_of_naive(([0], False), ([0], True))[0] == 0
    assert beliefs_of_naive(([0], True), ([0, 1], False))[0] == 0.8
    assert beliefs_of_naive(([0], True), ([0], False))[0] == 0
    assert beliefs_of_naive(*[([0, 1], True)] * 3) == (0.98, 0.98)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machine", "least"), [("ivre", 97), ("conjunctive", 85), ("noisy", 38), ("est", 62)]
)
def test_the_ideal_agent_is_the_best_of_each_machine(machine, least):
    """Of the two that eliminate guesses; within the error of 2,000 episodes."""
    names = ("guess-eliminating", "eliminating-informative", "ideal")
    found = {name: measure(name, PRESETS[machine], 2000, 1, seed=2)[0, 2] for name in names}
    assert found["ideal"] > max(least, max(found.values()) - 1.5)


@pytest.mark.slow
def test_guessing_the_prior_and_what_was_wrong_help():
    names = ("search-naive", "guess-uniform", "guess", "guess-eliminating")
    found = {name: measure(name, EST, 4000, 2, seed=1).mean(axis=0)[2] for name in names}
    assert found["search-naive"] + 2 < found["guess-uniform"] < found["guess"] - 3
    assert found["guess"] + 10 < found["guess-eliminating"]


@pytest.mark.slow
def test_guessing_blindly_is_right_as_often_as_the_prior_says():
    """Each of the nine sets of 8 Blickets has the probability 1 / 54, and each of the 36 of 7 has 1 / 216."""
    context, _, whole, _ = measure("blind", EST, 10_000, 4, seed=3).mean(axis=0)
    assert context == pytest.approx(100 * 4 / 54, abs=0.5)
    assert whole == pytest.approx(100 * (9 / 54 + 1 / 216), abs=0.7)


@pytest.mark.parametrize("preset", ["est", "ivre"])
@pytest.mark.parametrize("name", AGENTS)
def test_answers_are_probabilities_and_trials(name, preset):
    rng = np.random.default_rng(0)
    world = Machines(PRESETS[preset], 5, rng)
    agent = AGENTS[name](PRESETS[preset], 5, rng)
    while not world.over.all():
        beliefs, trials = agent.act(world.panels, world.lights)
        assert beliefs.shape == trials.shape == (5, 9)
        assert trials.dtype == np.bool_
        assert ((beliefs >= 0) & (beliefs <= 1)).all()
        world.step(beliefs, trials)
