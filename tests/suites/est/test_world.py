"""The Blicket machine and the exact belief about it, also against slow computations that share no code."""

from itertools import product

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from arena.errors import ConfigError
from suites.est.world import (
    CONTEXT,
    HORIZON,
    MEMBERS,
    OBJECTS,
    PRESETS,
    SETS,
    SOLVED,
    Episodes,
    Machine,
    Machines,
    Oracle,
    Preset,
    distance,
    draw,
    entropy,
    sets_of,
)
from tests.bits import digest

EPISODES = 300
VARIANTS = PRESETS | {"noisy conjunctive": Preset(machine=Machine(needs=2, noise=0.2))}


def random_play(preset, seed=0, episodes=EPISODES):
    """Every step of episodes with random beliefs and trials: the world before it, and what it gave."""
    rng = np.random.default_rng(seed)
    world = Machines(preset, episodes, rng)
    for _ in range(HORIZON):
        beliefs, trials = rng.random((episodes, OBJECTS)), rng.random((episodes, OBJECTS)) < 0.5
        seen = world.panels.copy(), world.lights.copy()
        yield world, seen, beliefs, trials, world.step(beliefs, trials)


@pytest.mark.parametrize("preset", VARIANTS.values(), ids=VARIANTS)
def test_episodes_are_drawn_within_their_ranges(preset):
    drawn = draw(preset, 2000, np.random.default_rng(1))
    for found, (low, high) in ((drawn.blickets, preset.blickets), (drawn.context, preset.panel)):
        sizes = found.sum(axis=-1)
        assert (sizes.min(), sizes.max()) == (low, high)
        assert np.bincount(sizes.ravel())[low:].min() > 0.7 * sizes.size / (high - low + 1)
    assert drawn.blickets.mean(axis=0) == pytest.approx([sum(preset.blickets) / 18] * OBJECTS, abs=0.05)


@pytest.mark.parametrize("preset", VARIANTS.values(), ids=VARIANTS)
def test_the_belief_is_that_of_bayes_rule_over_all_assignments(preset):
    """By plain loops over the 512 assignments, for a few episodes."""
    panels: list = []
    for _, seen, *_ in random_play(preset, episodes=4):
        panels.append(seen)
    for episode in range(4):
        weights = []
        for assignment in product((0, 1), repeat=OBJECTS):
            weight = 1.0
            for on, lit in ((on[episode], lit[episode]) for on, lit in panels):
                should = sum(a and b for a, b in zip(assignment, on, strict=True)) >= preset.machine.needs
                weight *= 1 - preset.machine.noise if should == lit else preset.machine.noise
            weights.append((weight, assignment))
        total = sum(weight for weight, _ in weights)
        expected = [sum(w for w, a in weights if a[k]) / total for k in range(OBJECTS)]
        oracle = Oracle(preset.machine, 1)
        for on, lit in panels:
            oracle.see(sets_of(on[[episode]]), lit[[episode]])
        assert oracle.belief()[0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["est", "ivre", "conjunctive"])
def test_the_oracle_is_never_wrong_about_a_determined_object(name):
    determined = 0
    for world, *_ in random_play(VARIANTS[name], seed=2):
        belief = world.oracle.belief()
        for value in (0, 1):
            certain = belief == value
            assert (world.blickets[certain] == value).all()
            determined += certain.sum()
    assert determined > EPISODES


def test_a_trial_says_as_much_as_it_lowers_the_entropy_of_the_assignment():
    rng = np.random.default_rng(3)
    oracle = Oracle(Machine(noise=0.1), 1)
    for _ in range(3):
        oracle.see(rng.integers(0, SETS, 1), rng.random(1) < 0.5)
    before = oracle.weights[0] / oracle.weights.sum()
    for trial in rng.integers(0, SETS, 5):
        expected = 0.0
        for lit in (False, True):
            agrees = ((MEMBERS[trial] & MEMBERS).sum(axis=1) >= 1) == lit
            joint = before * np.where(agrees, 0.9, 0.1)
            after = joint / joint.sum()
            expected += joint.sum() * (_bits(before) - _bits(after))
        assert oracle.information()[0, trial] == pytest.approx(expected)
    assert entropy(np.float64(0.0)) == entropy(np.float64(1.0)) == 0


def played():
    """Digest of what oracles see, believe and search, and of rewards, by preset."""
    seen = []
    for preset in PRESETS.values():
        world = Machines(preset, EPISODES, np.random.default_rng(7))
        while not world.over.all():
            belief, information = world.oracle.belief(), world.oracle.information()
            reward = world.step(0.9 * belief + 0.04, MEMBERS[information.argmax(axis=1)]).rewards
            seen += [belief, information, reward]
    return digest(*seen)


PLAYED = "16a184b96366aea8"
"""What every processor plays, to the last bit."""


def test_episodes_are_those_of_every_machine():
    assert played() == PLAYED


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_an_object_that_was_never_on_the_machine_is_believed_exactly_half(preset):
    world = Machines(preset, EPISODES, np.random.default_rng(8))
    unseen = ~world.panels
    for _ in range(CONTEXT):
        assert unseen.any()
        assert (world.oracle.belief()[unseen] == 0.5).all()
        world.step(np.full(unseen.shape, 0.5), unseen)
        unseen &= ~world.panels


@pytest.mark.parametrize("prior", [None, np.full(SETS, 0.1)])
def test_equal_trials_say_exactly_as_much(prior):
    oracle = Oracle(Machine(), 1, prior)
    oracle.see(np.array([0b111]), np.array([True]))
    # By how many objects of the panel, and how many others, are tried.
    assert len(np.unique(oracle.information())) <= 4 * 7


def _bits(weights):
    kept = weights[weights > 0]
    return -(kept * np.log(kept)).sum()


def test_what_is_ruled_out_is_gone_unless_nothing_else_is_left():
    oracle = Oracle(Machine(), 2)
    oracle.weights[:] = 0
    oracle.weights[[0, 0, 1], [3, 5, 7]] = 1
    oracle.exclude(np.array([3, 7]))
    assert [np.flatnonzero(left).tolist() for left in oracle.weights] == [[5], [7]]


def test_the_distance_is_that_of_scipy_and_zero_for_the_same_belief():
    rng = np.random.default_rng(4)
    one, other = rng.random((2, 50, OBJECTS))
    expected = [jensenshannon(p + 1e-7, q + 1e-7) for p, q in zip(one, other, strict=True)]
    assert distance(one, other) == pytest.approx(expected)
    assert (distance(one, one) == 0).all()
    first, second = np.eye(OBJECTS)[:2]
    assert distance(first[None], second[None])[0] == pytest.approx(np.sqrt(np.log(2)), abs=1e-3)


def test_four_context_panels_come_first_and_then_what_was_tried():
    rng = np.random.default_rng(5)
    world = Machines(PRESETS["est"], EPISODES, rng)
    tried = np.zeros((EPISODES, OBJECTS), np.bool_)
    for step in range(HORIZON):
        assert (world.panels == (world.context[:, step] if step < CONTEXT else tried)).all()
        assert (world.lights == (world.panels & world.blickets).any(axis=1)).all()
        tried = rng.random(tried.shape) < 0.5
        doubt = np.full(tried.shape, 0.5)
        expected = -1 - distance(doubt, world.oracle.belief())
        given = world.step(doubt, tried)
        assert (given.rewards == expected).all()
    assert given.over.all()
    assert not given.solved.any()


def test_the_right_belief_ends_an_episode_with_its_reward_and_half_is_wrong():
    world = Machines(PRESETS["est"], 2, np.random.default_rng(6))
    beliefs = np.where(world.blickets, 0.51, 0.49)
    beliefs[1, 4] = 0.5
    given = world.step(beliefs, np.zeros((2, OBJECTS), np.bool_))
    assert given.solved.tolist() == given.over.tolist() == [True, False]
    assert given.rewards[0] == SOLVED
    assert -2 < given.rewards[1] <= -1
    later = world.step(world.blickets.astype(float), np.zeros((2, OBJECTS), np.bool_))
    assert (later.rewards.tolist(), world.steps.tolist()) == ([0.0, SOLVED], [1, 2])


def test_permuted_objects_permute_everything():
    drawn = draw(PRESETS["est"], EPISODES, np.random.default_rng(7))
    order = np.random.default_rng(8).permutation(OBJECTS)
    answers = np.random.default_rng(9).random((HORIZON, 2, EPISODES, OBJECTS))
    played = []
    for change in (np.arange(OBJECTS), order):
        world = Machines(PRESETS["est"], EPISODES, np.random.default_rng(0))
        world.restart(drawn=Episodes(drawn.blickets[:, change], drawn.context[..., change]))
        rewards = [world.step(b[:, change], t[:, change] < 0.5).rewards for b, t in answers]
        played.append((np.array(rewards), world.oracle.belief()))
    assert played[0][0] == pytest.approx(played[1][0], abs=1e-9)
    assert (played[0][1][:, order] == played[1][1]).all()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: Machine(needs=3), "needs: got 3"),
        (lambda: Machine(noise=0.5), "noise: got 0.5"),
        (lambda: Preset(blickets=(4, 3)), "blickets: got 4 to 3"),
        (lambda: Preset(panel=(0, 10)), "panel: got 0 to 10"),
    ],
)
def test_a_wrong_number_is_refused(make, reason):
    with pytest.raises(ConfigError, match=reason):
        make()
