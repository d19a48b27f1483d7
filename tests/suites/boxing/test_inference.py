"""Posteriors and expected information against slow computations that share no code with them."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from benchmarks.boxing import errors
from suites.boxing.environments import WORLDS, drawn
from suites.boxing.environments.people import CHARACTER_NAMES
from suites.boxing.posterior import best_design, information, posterior_of, regret

OBSERVATIONS = {name: 3 for name in WORLDS} | {"predator-prey": 1, "location": 2, "peregrines": 2}
"""So few that drawing from the prior and weighting still leaves some hundreds of effective draws."""


def plain_loglik(name, theta, x, y):
    """(n,): the log-likelihood from the description of a world, by scipy's distributions."""
    if name == "location":
        signal = 0.1 + sum(1 / (1e-4 + ((theta[:, k : k + 2] - x) ** 2).sum(axis=1)) for k in (0, 2, 4))
        return stats.norm(signal, 0.5).logpdf(y[0])
    if name == "dugongs":
        mean = theta[:, 0] - theta[:, 1] * theta[:, 2] ** x[0]
        return np.logaddexp(stats.norm(mean, 0.25).logpdf(y[0]), stats.norm(mean, 0.25).logpdf(-y[0]))
    if name == "peregrines":
        powers = x[0] ** np.arange(4)
        return stats.poisson(np.exp(theta @ powers)).logpmf(y[0])
    if name == "death":
        return stats.binom(50, 1 - np.exp(-theta[:, 0] * x[0])).logpmf(y[0])
    return np.log(np.abs(1 - y[0] - plain_chance(name, theta, x)))


def plain_ratings(theta, x, y):
    """(n,): the log-likelihood of the rating `y` of one emotion for its base, weights and noise (n, 5)."""
    prize = x[int(x[6]) - 1]
    surprise = prize - x[:3] @ x[3:6]
    noise = stats.norm(theta[:, :4] @ [1, prize, surprise, abs(surprise)], theta[:, 4])
    low, high = -np.inf if y == 1 else y, np.inf if y == 9 else y + 1
    p = np.maximum(noise.cdf(high) - noise.cdf(low), noise.sf(low) - noise.sf(high))
    return np.log(np.maximum(p, 1e-300))


def plain_chance(name, theta, x):
    if name == "hyperbolic":
        gain = x[1] / (1 + theta[:, 0] * x[2]) - x[0]
        return 0.01 + 0.98 * stats.norm.cdf(gain / theta[:, 1])
    if name == "irt":
        i, j = int(x[0]) - 1, int(x[1]) - 1
        return 1 / (1 + np.exp(-theta[:, 12 + j] * (theta[:, i] - theta[:, 6 + j])))
    if name == "survival":
        return 1 / (1 + np.exp(-x[1] * theta[:, 0] * np.exp(theta[:, 1] * x[2])))
    signs = np.zeros(6)
    for who, (one, two) in zip(CHARACTER_NAMES, zip(x[:18], x[18:36], strict=True), strict=True):
        signs += (one - two) * np.array(attributes(who))
    weights = theta[:, 0] + theta[:, 1] * (1 if x[36] else -1) + theta[:, 2] + theta[:, 3:] @ signs
    return 1 / (1 + np.exp(-weights))


def attributes(who):
    """The codes of the public code: gender, fitness, status, age, human, species."""
    female = who == "girl" or "woman" in who or who.startswith("female")
    human = who not in ("dog", "cat")
    return (
        -int(female),
        who.endswith("athlete") - who.startswith("large"),
        1.5 if who == "pregnant_woman" else int(who.endswith(("doctor", "executive"))),
        int(who in ("boy", "girl")),
        int(human),
        1 if human else -1,
    )


@pytest.mark.parametrize("name", sorted(WORLDS.keys() - {"emotions"}))
def test_posteriors_agree_with_weighted_draws_from_the_prior(name):
    world, rng = drawn(name, 11)
    posterior = posterior_of(world, np.random.default_rng(0))
    theta, weights = world.prior(rng, 200_000), np.zeros(200_000)
    for _ in range(OBSERVATIONS[name]):
        x = world.random_design(rng)
        x = np.minimum(x, 8.0) if name == "predator-prey" else x
        y = world.observe(x, rng)
        posterior.observe(x, y)
        if name == "predator-prey":
            for part in np.split(np.arange(len(theta)), 4):
                weights[part] += world.loglik(theta[part], x[None], y[None])[:, 0]
        else:
            weights += plain_loglik(name, theta, x, y)
    weights = np.exp(weights - logsumexp(weights))
    effective = 1 / (weights**2).sum()
    assert effective > 20, effective
    kept = weights > weights.max() * 1e-7
    theta, weights = theta[kept], weights[kept]
    cloud, own = posterior.cloud
    xs = np.array([world.question(rng, False) for _ in range(6)])
    for value in (world.expected(theta, xs), world.expected(cloud, xs)):
        assert np.isfinite(value).all()
    # By ranks: some expected outcomes have tails without a mean.
    for k in range(len(xs)):
        expected, found = world.expected(theta, xs[[k]])[:, 0, 0], world.expected(cloud, xs[[k]])[:, 0, 0]
        for at in np.quantile(expected, (0.3, 0.6)):
            share = weights[expected <= at].sum()
            assert own[found <= at].sum() == pytest.approx(share, abs=0.05 + 2 / np.sqrt(effective)), (k, at)


def reference(name, world, x, rng, outer=4000, inner=40_000):
    """Expected information of a design before any experiment: an outer sample against a long inner one."""
    theta, others = world.prior(rng, outer), world.prior(rng, inner)
    if name == "emotions":
        return ratings(theta, x, rng)
    if name not in ("location", "dugongs", "peregrines", "death"):
        p = plain_chance(name, others, x)
        return float(stats.bernoulli(p.mean()).entropy() - np.mean(stats.bernoulli(p).entropy()))
    gained = []
    for each in theta[: 400 if name in ("location", "dugongs") else 300]:
        y = world.sample(each, x, rng)
        own = plain_loglik(name, each[None], x, y)[0]
        gained.append(own - logsumexp(plain_loglik(name, others, x, y)) + np.log(inner))
    return float(np.mean(gained)), float(np.std(gained) / np.sqrt(len(gained)))


def ratings(theta, x, rng):
    """The same for emotions, of which each has parameters of its own: exact over ratings, long over these."""
    found = np.zeros(len(theta))
    for place in range(8):
        own = theta[:, 5 * place : 5 * place + 5]
        p = np.exp([plain_ratings(own, x, y) for y in range(1, 10)])
        found += stats.entropy(p.mean(axis=1)) - stats.entropy(p)
    return float(found.mean()), float(found.std() / np.sqrt(len(found)))


def test_the_posterior_of_each_emotion_agrees_with_weighted_draws_from_the_prior():
    world, rng = drawn("emotions", 11)
    posterior = posterior_of(world, np.random.default_rng(0))
    theta, weights = world.prior(rng, 100_000).reshape(-1, 8, 5), np.zeros((100_000, 8))
    for _ in range(6):
        x = world.random_design(rng)
        y = world.observe(x, rng)
        posterior.observe(x, y)
        weights += np.stack([plain_ratings(theta[:, e], x, y[e]) for e in range(8)], axis=1)
    weights = np.exp(weights - logsumexp(weights, axis=0))
    cloud, own = posterior.cloud
    assert own == pytest.approx(1 / len(cloud))
    cloud = cloud.reshape(-1, 8, 5)
    for e in range(8):
        effective = 1 / (weights[:, e] ** 2).sum()
        assert effective > 100, (e, effective)
        spare = 0.03 + 2 / np.sqrt(effective)
        for k in range(5):
            for at in np.quantile(cloud[:, e, k], (0.2, 0.5, 0.8)):
                share = weights[theta[:, e, k] <= at, e].sum()
                assert (cloud[:, e, k] <= at).mean() == pytest.approx(share, abs=spare), (e, k, at)
    # Emotions say nothing of each other.
    ranks = stats.spearmanr(cloud.reshape(len(cloud), -1)).statistic.reshape(8, 5, 8, 5)
    assert max(np.abs(ranks[i, :, j]).max() for i in range(8) for j in range(i)) < 0.12


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(WORLDS.keys() - {"predator-prey"}))
def test_information_is_that_of_a_long_simulation(name):
    world, rng = drawn(name, 0)
    xs = np.array([world.random_design(rng) for _ in range(3)])
    particles = 2000 if world.grid() else 8000
    found = information(world, posterior_of(world, np.random.default_rng(1), particles), xs)
    for x, own in zip(xs, found, strict=True):
        slow = reference(name, world, x, rng)
        slow, error = slow if isinstance(slow, tuple) else (slow, 0.0)
        assert own == pytest.approx(slow, rel=0.05, abs=3 * error + 1e-3), (x, own, slow, error)


def test_information_about_the_discount_alone_is_that_of_a_fine_quadrature():
    world, _ = drawn("hyperbolic", 0)
    xs = np.array([[50, 100, 30], [20, 200, 200], [90, 100, 5], [46, 50, 3]], np.float64)
    posterior = posterior_of(world, np.random.default_rng(1))
    found = information(world, posterior, xs, "discount")
    shares = (np.arange(1000) + 0.5) / 1000
    alphas, ks = stats.halfnorm.ppf(shares, scale=2), np.exp(stats.norm.ppf(shares, -4.25, 0.5))
    for x, own in zip(xs, found, strict=True):
        pairs = (np.column_stack([np.full(1000, k), alphas]) for k in ks)
        p = np.array([plain_chance("hyperbolic", pair, x).mean() for pair in pairs])
        slow = stats.bernoulli(p.mean()).entropy() - stats.bernoulli(p).entropy().mean()
        assert own == pytest.approx(slow, rel=0.05), (x, own, slow)
    whole = information(world, posterior, xs)
    assert (found < whole).all()
    assert found[3] < 0.7 * whole[3]


def test_information_about_populations_is_the_entropy_of_their_counts():
    world, rng = drawn("predator-prey", 0)
    xs = np.array([[2.0], [10.0], [25.0]])
    found = information(world, posterior_of(world, np.random.default_rng(1)), xs)
    cells: list = [{} for _ in xs]
    for _ in range(20):
        theta = world.prior(rng, 10_000)
        counts = np.maximum(np.round(world.signals(theta, xs)), 0)
        for place, own in enumerate(cells):
            for key in map(tuple, counts[:, place]):
                own[key] = own.get(key, 0) + 1
    for own, entropy in zip(cells, found, strict=True):
        shares = np.array(list(own.values())) / 200_000
        plain = -(shares * np.log(shares)).sum() + (len(shares) - 1) / 400_000
        assert entropy == pytest.approx(plain, rel=0.05)


def test_a_better_design_has_less_regret_and_a_known_outcome_says_nothing():
    for name in WORLDS:
        world, rng = drawn(name, 0)
        posterior = posterior_of(world, rng)
        best, other = best_design(world, posterior), world.random_design(rng)
        found = [regret(world, posterior, x, np.random.default_rng(2)) for x in (best, other)]
        assert 0 <= found[0].regret <= found[1].regret
        assert found[0].information >= found[1].information
        if world.fixed:
            posterior.observe(best, world.observe(best, rng))
            assert information(world, posterior, best[None])[0] == 0


@pytest.mark.parametrize("name", WORLDS)
def test_the_same_seed_gives_the_same_bits(name):
    clouds = []
    for _ in range(2):
        world, rng = drawn(name, 4)
        posterior = posterior_of(world, np.random.default_rng(5))
        for _ in range(2):
            x = world.random_design(rng)
            posterior.observe(x, world.observe(x, rng))
        clouds.append(posterior.cloud[0])
    assert (clouds[0] == clouds[1]).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_errors_fall_with_experiments_and_best_designs_are_as_good_as_random_ones(name):
    # Ten outcomes of 0 or 1 say little about 18 abilities or about weights that are known well beforehand.
    episodes = 250 if name in ("irt", "morals") else 30
    runs = {s: [errors(name, s, 50 + k, 40) for k in range(episodes)] for s in ("random", "eig")}
    for goal in WORLDS[name].goals:
        table = {s: np.array([each[goal] for each in found]) for s, found in runs.items()}
        for found in table.values():
            gained = found[:, 0] - found[:, -1]
            assert gained.mean() > 1.7 * gained.std(ddof=1) / np.sqrt(len(gained)), (goal, gained.mean())
        if goal == "source":
            # What says most about one source, to a thousandth, need not lessen squared errors of all three.
            continue
        lost = table["eig"][:, -1] - table["random"][:, -1]
        assert lost.mean() < 2 * lost.std(ddof=1) / np.sqrt(len(lost)), (goal, lost.mean())
