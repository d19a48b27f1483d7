"""The ten worlds: priors, likelihoods and questions against their description, by simulation."""

import numpy as np
import pytest
from scipy import integrate, stats

from suites.boxing.environments import WORLDS, drawn
from suites.boxing.environments.people import EMOTION_MEANS
from suites.boxing.questions import Questions
from suites.boxing.world import WORDINGS, WrongReplyError

MANY = 40_000

PRIORS = {
    "location": [stats.norm(0, 1)] * 6,
    "hyperbolic": [stats.lognorm(0.5, scale=np.exp(-4.25)), stats.halfnorm(scale=2)],
    "death": [stats.truncnorm(-1, 1, loc=1)],
    "irt": [stats.norm(0, 1)] * 18,
    "dugongs": [stats.norm(2, 0.2), stats.norm(1.5, 0.5), stats.foldnorm(0.8, scale=0.5)],
    "peregrines": [
        *(stats.norm(4.5, 0.1), stats.norm(1.2, 0.1)),
        *(stats.norm(0.07, 0.01), stats.norm(-0.24, 0.05)),
    ],
    "survival": [stats.gamma(0.1, scale=10), stats.halfnorm(scale=10)],
    "predator-prey": [
        *(stats.norm(0.1, 0.01), stats.truncnorm(-2, np.inf, loc=0.02, scale=0.01)),
        *(stats.norm(0.4, 0.04), stats.norm(0.01, 0.001)),
    ],
    "emotions": [
        prior
        for base, *weights in EMOTION_MEANS.T
        for prior in (stats.norm(base, 0.1), *(stats.norm(m, 0.01) for m in weights), stats.halfnorm(scale=1))
    ],
    "morals": [
        stats.norm(m, s)
        for m, s in zip([0, -0.3, 0.4, -0.3, 0.4, 0.1, 0.1, 0.7, 0.6], [0.3] + [0.1] * 8, strict=True)
    ],
}
"""The priors as they are described, in the order of the parameters."""


@pytest.mark.parametrize("name", WORLDS)
def test_parameters_have_their_priors_and_so_have_grids(name):
    world, rng = drawn(name, 0)
    theta = world.prior(rng, MANY)
    assert theta.shape == (MANY, len(world.parameter_names)) == (MANY, len(PRIORS[name]))
    for column, expected in zip(theta.T, PRIORS[name], strict=True):
        assert stats.kstest(column, expected.cdf).statistic < 0.016
    grid = world.grid()
    if grid is not None:
        points, weights = grid
        assert weights.sum() == pytest.approx(1)
        for place, expected in enumerate(PRIORS[name]):
            for q in (0.2, 0.5, 0.8):
                share = weights[points[:, place] <= expected.ppf(q)].sum()
                assert share == pytest.approx(q, abs=0.08), (place, q)


@pytest.mark.parametrize("name", sorted(WORLDS.keys() - {"predator-prey", "emotions"}))
def test_outcomes_scatter_as_their_likelihood_says(name):
    """The expected value of any function is the same by samples and by the likelihood: its total is 1."""
    world, rng = drawn(name, 1)
    for _ in range(3):
        x = world.random_design(rng)
        ys = np.array([world.sample(world.theta, x, rng) for _ in range(6000)])[:, 0]
        if name in ("location", "dugongs"):
            at = np.linspace(max(ys.min() - 1, 0 if name == "dugongs" else -np.inf), ys.max() + 1, 4001)
            at, gaps = (at[1:] + at[:-1]) / 2, np.diff(at)
        else:
            at, gaps = np.arange(ys.max() * 1.2 + 30), np.array(1.0)
            at = at[: {"death": 51, "peregrines": None}.get(name, 2)]
        xs = np.repeat(x[None], len(at), axis=0)
        p = np.exp(world.loglik(world.theta[None], xs, at[:, None])[0]) * gaps
        assert p.sum() == pytest.approx(1, abs=2e-3)
        mean, sd = (p * at).sum(), np.sqrt((p * at**2).sum() - (p * at).sum() ** 2)
        assert ys.mean() == pytest.approx(mean, abs=4.5 * sd / np.sqrt(len(ys)) + 1e-6)
        assert ys.std() == pytest.approx(sd, rel=0.06, abs=0.02)
        if name != "dugongs":  # there the truth asked for is the length without noise
            expected = world.expected(world.theta[None], x[None])[0, 0, 0]
            assert expected == pytest.approx(mean, abs=1e-3 * (1 + mean))


def rating_chances(mean, sd):
    """(9, ...): the probability of each rating: cut off after the point, 1 to 9."""
    below = stats.norm(mean, sd).cdf(np.arange(2, 10).reshape(8, *np.ones(np.ndim(mean), int)))
    return np.diff(below, axis=0, prepend=0, append=1)


def test_ratings_scatter_as_their_likelihood_says():
    world, rng = drawn("emotions", 1)
    x = world.random_design(rng)
    ys = np.array([world.sample(world.theta, x, rng) for _ in range(4000)])
    signals = world.signals(world.theta[None], x[None])[0, 0]
    assert len(set(signals[:, 1])) == 8
    for e, (mean, sd) in enumerate(signals):
        shares = np.bincount(ys[:, e].astype(int), minlength=10)[1:] / len(ys)
        assert shares == pytest.approx(rating_chances(mean, sd), abs=0.035)
    table = rating_chances(*signals.T)
    likelihood = np.log(table[ys[0].astype(int) - 1, np.arange(8)]).sum()
    assert world.loglik(world.theta[None], x[None], ys[:1])[0, 0] == pytest.approx(likelihood)
    assert world.expected(world.theta[None], x[None])[0, 0] == pytest.approx(np.arange(1, 10) @ table)


def test_ratings_are_those_of_the_public_code():
    """Means of 20,000 worlds of that code, by its own draws of parameters and noise."""
    world, rng = drawn("emotions", 0)
    theta = world.prior(rng, 20_000)
    ys = world.noise.sample(world.signals(theta, np.array([[50, 20, 10, 0.1, 0.4, 0.5, 1]]))[:, 0], rng)
    means = [6.64, 2.05, 1.39, 5.20, 1.45, 1.45, 5.05]
    assert ys.mean(axis=0)[:7] == pytest.approx(means, abs=0.06)
    assert (ys == np.trunc(ys)).all()
    assert (ys.min(), ys.max()) == (1, 9)
    won = np.array([world.random_design(rng)[6] for _ in range(3000)])
    assert np.bincount(won.astype(int))[1:] / 3000 == pytest.approx([1 / 3] * 3, abs=0.04)


def test_published_questions_on_emotions_take_the_index_of_the_prize_for_the_dollars():
    world, rng = drawn("emotions", 0)
    for wording in WORDINGS:
        asked = Questions(world, "prediction", "as-published", rng, 10)
        plain = [world.asked(x[:7], wording) for x in asked.xs]
        assert [asked.asked(k, wording) for k in range(10)] == plain
    # Whoever takes the prize for what it is sees another player: the truth is one who won 0 to 2 dollars.
    surprise = asked.xs[:, 6] - 1 - (asked.xs[:, :3] * asked.xs[:, 3:6]).sum(axis=1)
    theta = world.theta.reshape(8, 5)
    features = np.array([np.ones(10), asked.xs[:, 6] - 1, surprise, np.abs(surprise)])
    chances = rating_chances(theta[:, :4] @ features, theta[:, 4:])
    expected = world.expected(world.theta[None], asked.xs)[0]
    assert expected == pytest.approx(np.tensordot(np.arange(1, 10), chances, 1).T)
    assert Questions(world, "prediction", "repaired", rng, 10).xs.shape == (10, 7)


def test_populations_follow_their_equations():
    world, rng = drawn("predator-prey", 0)
    times = np.array([[0.0], [0.3], [7.7], [21.4], [50.0]])
    theta = world.prior(rng, 20)
    for k, (alpha, beta, gamma, delta) in enumerate(theta):
        solved = integrate.solve_ivp(
            lambda _, p, a=alpha, b=beta, g=gamma, d=delta: (p[0] * (a - b * p[1]), p[1] * (d * p[0] - g)),
            (0, 50), (40, 9), t_eval=times[:, 0], rtol=1e-9, atol=1e-9,
        )  # fmt: skip
        assert world.signals(theta[[k]], times)[0] == pytest.approx(solved.y.T, rel=0.02, abs=0.05)


def test_rounding_stands_for_noise_of_its_own_variance():
    world, rng = drawn("predator-prey", 2)
    times = rng.uniform(0, 50, (400, 1))
    signals = world.signals(world.theta[None], times)[0]
    ys = np.array([world.observe(x, rng) for x in times])
    assert (ys - signals).std(axis=0) == pytest.approx([world.noise.sd] * 2, rel=0.15)


@pytest.mark.parametrize("name", WORLDS)
def test_designs_are_written_and_read_and_wrong_ones_are_refused(name):
    world, rng = drawn(name, 3)
    for x in [*(world.random_design(rng) for _ in range(20)), *world.designs()[:20]]:
        assert world.parse(world.written(x)) == pytest.approx(x)
        for wording in WORDINGS:
            assert len(world.described(x, world.observe(x, rng), wording)) > 10
            assert "{" not in world.described(x, world.observe(x, rng), wording) + world.asked(x, wording)
    for wrong in ("", "many", "1, 2, 3, 4", "-1e9", "nan"):
        with pytest.raises(WrongReplyError, match="expected"):
            world.parse(wrong)


WRONG = {
    "hyperbolic": ("100, 50, 3", "delayed reward must be larger"),
    "death": ("2", "time: got 2, expected a number between 0 and 2"),
    "dugongs": ("5.1", "age: got 5.1, expected a number from 0 to 5"),
    "emotions": ("1, 2, 3, 0.5, 0.5, 0.5, 1", "sum to 1.5"),
    "morals": ("boy; dragon; stay", "got 'dragon'"),
    "survival": ("101", "patient: got 101"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_design_is_said_to_be_wrong(name):
    world, _ = drawn(name, 0)
    with pytest.raises(WrongReplyError, match=WRONG[name][1]):
        world.parse(WRONG[name][0])


def test_pairs_that_are_asked_for_cannot_be_observed_and_are_balanced():
    world, rng = drawn("irt", 5)
    questions = Questions(world, "prediction", "repaired", rng, 10)
    assert questions.truths.sum() == 5
    assert len(np.unique(questions.xs, axis=0)) == 10
    for x in questions.xs:
        with pytest.raises(WrongReplyError, match="held out"):
            world.parse(world.written(x))


@pytest.mark.parametrize("name", ["hyperbolic", "survival", "morals"])
def test_published_questions_are_balanced_and_repaired_ones_ask_for_probabilities(name):
    world, rng = drawn(name, 0)
    assert Questions(world, "prediction", "as-published", rng, 10).truths.sum() == 5
    repaired = Questions(world, "prediction", "repaired", rng, 10)
    assert repaired.chances
    assert len(np.unique(repaired.truths)) > 2
    assert ((repaired.truths > 0) & (repaired.truths <= 1)).all()


def test_the_papers_constants_that_are_confirmed():
    """The errors of always predicting the mean; heavy tails make other constants of the paper one draw."""
    rng = np.random.default_rng(0)
    found = {}
    for name in ("death", "hyperbolic"):
        world = WORLDS[name](rng)
        theta = world.prior(rng, 4000)
        ys = np.array([world.sample(each, world.random_design(rng), rng) for each in theta])
        found[name] = ys, ys - ys.mean(axis=0)
    errors = found["death"][1] ** 2
    assert (errors.mean(), errors.std()) == (pytest.approx(222.4, rel=0.05), pytest.approx(190.3, rel=0.05))
    assert found["hyperbolic"][0].std() == pytest.approx(0.46928, abs=0.02)


@pytest.mark.parametrize(
    ("name", "perfect", "coin"),
    [("hyperbolic", -0.065, 1.0), ("survival", -0.685, 0.454), ("morals", -0.166, 0.846)],
)
def test_the_papers_artefacts_of_accuracies(name, perfect, coin):
    world, rng = drawn(name, 0)
    questions = Questions(world, "prediction", "as-published", rng, 10)
    for answers, error in ((questions.truths, perfect), (np.ones_like(questions.truths), coin)):
        found = questions.standardised(float(questions.errors(answers).mean()))
        assert found == pytest.approx(error, abs=6e-4)


@pytest.mark.parametrize(
    ("name", "goal", "best"),
    [
        ("dugongs", "prediction", -0.098), ("peregrines", "prediction", -0.699), ("irt", "prediction", -1),
        ("predator-prey", "prediction", -0.475), ("location", "prediction", -0.331), ("death", "prediction",
        -1.17), ("location", "source", -1.36), ("emotions", "prediction", -2.19), ("hyperbolic", "discount",
        -0.058),
    ],
)  # fmt: skip
def test_no_error_is_the_papers_best_possible(name, goal, best):
    world, rng = drawn(name, 0)
    assert Questions(world, goal, "as-published", rng, 10).standardised(0.0) == pytest.approx(best, abs=0.006)
