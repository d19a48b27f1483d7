"""NOTEARS on data whose graph is known, and on the Blicket machine."""

import numpy as np
import pytest

pytest.importorskip("scipy", reason="pip install 'arena-llm[eval]'")

from suites.est.learners.notears import LIGHT, Notears, acyclicity, fit


def test_the_gradient_of_acyclicity_and_that_it_is_zero_without_cycles():
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(5, 5))
    _, slope = acyclicity(weights)
    for place in ((0, 1), (3, 2), (4, 4)):
        step = np.zeros((5, 5))
        step[place] = 1e-6
        rise = acyclicity(weights + step)[0] - acyclicity(weights - step)[0]
        assert slope[place] == pytest.approx(rise / 2e-6, rel=1e-5)
    assert acyclicity(np.triu(weights, 1))[0] == pytest.approx(0, abs=1e-12)
    assert acyclicity(np.triu(weights))[0] > 1e-3


def test_a_known_graph_is_recovered():
    """Two causes, their effect, and what that and a further one cause, in different directions."""
    rng = np.random.default_rng(1)
    data = rng.random((3000, 5)) < 0.5
    for effect, promotes, hinders in ((2, 0, 1), (3, 2, 4)):
        scores = 4.0 * data[:, promotes] - 4 * data[:, hinders]
        data[:, effect] = rng.random(3000) < 1 / (1 + np.exp(-scores))
    weights = fit(data, penalty=0.02)
    assert acyclicity(weights)[0] < 1e-6
    assert np.argwhere(weights > 0.3).tolist() == [[0, 2], [2, 3]]
    assert np.argwhere(weights < -0.3).tolist() == [[1, 2], [4, 3]]


def test_only_blickets_are_found_on_a_machine_that_was_seen_often():
    rng = np.random.default_rng(2)
    panels = rng.random((60, 9)) < 0.3
    weights = fit(np.column_stack([panels, panels[:, [1, 4, 6]].any(axis=1)]))
    assert {*np.flatnonzero(weights[:LIGHT, LIGHT] > 0.01)} & {1, 4, 6}
    assert {*np.flatnonzero(weights[:LIGHT, LIGHT] > 0.01)} <= {1, 4, 6}


def test_beliefs_follow_the_weights_and_guesses_their_sign():
    panels = np.array([[1, 0, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0, 0]], np.bool_)
    soft, hard = (Notears(1, np.random.default_rng(0), guess=guess) for guess in (False, True))
    for panel, light in zip(panels[[0, 1, 0]], [True, False, True], strict=True):
        answers = [agent.act(panel[None], np.array([light])) for agent in (soft, hard)]
    beliefs, guesses = (answer.beliefs[0] for answer in answers)
    assert beliefs[0] > 0.5
    assert (beliefs[2:] == 0.5).all()
    assert guesses.tolist() == [1, *[0] * 8]
