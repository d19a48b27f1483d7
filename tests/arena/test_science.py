"""Hidden states: exact inference beside brute force, and questions that can be answered, but not without."""

import json
from itertools import product

import numpy as np
import pytest
from pydantic import ValidationError

from arena.science import HiddenState, Seen, divergence
from arena.science.families import (
    FAMILIES,
    WIDEST_M,
    FloorQuestion,
    InstrumentQuestion,
    MachineQuestion,
    SlopesQuestion,
    leaves_at,
    questions,
    truth,
)
from tests.command import printed_by

SMALL = (
    MachineQuestion(experiments=9, things=3, noise=0.1),
    MachineQuestion(experiments=9, things=4, rules=("any", "two"), asks="rule", low=2),
    SlopesQuestion(experiments=9, things=2, levels=3),
    InstrumentQuestion(experiments=9, things=3, laws=("square", "threshold"), noise=0.1),
    FloorQuestion(experiments=9, lanes=3, kinds=("wind", "post")),
)
ALL = [(level, number) for level in FAMILIES for number in range(30)]


def played(question, seed, length):
    """A random history that can happen."""
    hidden, rng = question.hidden, np.random.default_rng(seed)
    holds = hidden.draw(rng)
    tried = rng.integers(len(hidden.likelihood), size=length).tolist()
    return [Seen(each, hidden.happen(holds, each, rng)) for each in tried]


@pytest.mark.parametrize("question", SMALL, ids=lambda question: question.family)
@pytest.mark.parametrize("seed", range(10))
def test_posterior_is_that_of_brute_force(question, seed):
    hidden, history = question.hidden, played(question, seed, 3)
    joint = [
        hidden.prior[h] * np.prod([hidden.likelihood[e, h, o] for e, o in history])
        for h in range(len(hidden.prior))
    ]
    exact = np.array(joint) / sum(joint)
    assert np.abs(hidden.posterior(history) - exact).max() < 1e-12
    by_door = [exact[hidden.doors == door].sum() for door in range(question.doors)]
    assert np.abs(hidden.of_doors(exact) - by_door).max() < 1e-12


def bits(shares):
    return -sum(share * np.log2(share) for share in shares if share > 0)


@pytest.mark.parametrize("question", SMALL, ids=lambda question: question.family)
def test_expected_information_is_that_of_brute_force(question):
    hidden = question.hidden
    belief = hidden.posterior(played(question, 3, 1))
    for e in range(len(hidden.likelihood)):
        after = about_all = 0.0
        for o in range(hidden.likelihood.shape[2]):
            if chance := float(belief @ hidden.likelihood[e, :, o]):
                following = hidden.updated(belief, e, o)
                after += chance * bits(hidden.of_doors(following))
                about_all += chance * bits(following)
        assert hidden.information(belief)[e] == pytest.approx(bits(hidden.of_doors(belief)) - after, abs=1e-9)
        assert hidden.about_everything(belief)[e] == pytest.approx(bits(belief) - about_all, abs=1e-9)


def expected(hidden, belief, left):
    """The entropy of the door that the best experiments leave, by recursion over all outcomes."""
    if not left:
        return bits(hidden.of_doors(belief))
    best = hidden.best(belief)
    chances = belief @ hidden.likelihood[best]
    return sum(
        p * expected(hidden, hidden.updated(belief, best, o), left - 1) for o, p in enumerate(chances) if p
    )


@pytest.mark.parametrize("question", SMALL, ids=lambda question: question.family)
def test_attainable_information_is_that_of_recursion(question):
    hidden = question.hidden
    for experiments in (3, 1, 2):  # in any order: it is kept as far as it was asked for
        exact = bits(hidden.of_doors(hidden.prior)) - expected(hidden, hidden.prior, experiments)
        assert hidden.attainable(experiments) == pytest.approx(exact, rel=0.03, abs=1e-3)


def test_information_that_misled_is_negative():
    hidden = SMALL[0].hidden
    lit_alone, dark_alone = Seen(1, 1), Seen(1, 0)
    assert hidden.gained([lit_alone]) > 0.4
    assert hidden.gained([lit_alone, dark_alone]) == pytest.approx(0, abs=1e-12)
    assert hidden.gained([lit_alone, lit_alone, dark_alone, Seen(2, 1)]) < hidden.gained([lit_alone])


def test_impossible_outcomes_are_refused():
    hidden = MachineQuestion(experiments=3, things=3).hidden
    with pytest.raises(ValueError, match="impossible"):
        hidden.posterior([Seen(0, 1)])
    with pytest.raises(ValueError, match="add up"):
        HiddenState(np.array([0.5, 0.4]), np.ones((1, 2, 1)), np.array([0, 1]))


@pytest.mark.parametrize(("level", "number"), ALL)
def test_every_question_can_be_answered_but_not_by_its_prior(level, number):
    question = questions(level)[number]
    hidden = question.hidden
    assert np.abs(hidden.of_doors(hidden.prior) - 1 / question.doors).max() < 1e-12
    rng = np.random.default_rng([level, number])
    spent, right = [], 0
    for _ in range(40):
        holds, belief, made = hidden.draw(rng), hidden.prior, 0
        while hidden.of_doors(belief).max() < 0.99 and made < question.experiments:
            best = hidden.best(belief)
            belief, made = hidden.updated(belief, best, hidden.happen(holds, best, rng)), made + 1
        right += int(hidden.of_doors(belief).argmax()) == hidden.doors[holds]
        spent.append(made)
    assert right >= 38
    assert np.quantile(spent, 0.9) <= 0.6 * question.experiments + 0.5


def test_questions_differ():
    every = [json.dumps(question.model_dump()) for level in FAMILIES for question in questions(level)]
    assert len({*every}) == 120


def test_machines_light_up_by_their_rule():
    question = MachineQuestion(experiments=3, things=3, rules=("any", "two"), asks="rule", low=2, high=2)
    hypotheses = question.hypotheses()
    assert hypotheses == list(product((3, 5, 6), ("any", "two")))
    lit = [[chances[1] for chances in table] for table in question.likelihoods()]
    for on, (counting, rule) in product(range(8), hypotheses):
        counted = sum(on >> k & counting >> k & 1 for k in range(3))
        assert lit[on][hypotheses.index((counting, rule))] == (counted >= (1 if rule == "any" else 2))


def test_floors_push_by_their_laws():
    left, right = (leaves_at(("wind", direction, 0.5), 0.0) for direction in (-1, 1))
    # 3 s of 0.5 m/s2, in steps of 0.02 s.
    assert right == pytest.approx(0.5 * 0.5 * 9, rel=0.02)
    assert left == -right
    assert leaves_at(("post", 1, 0.5), 1.0) > 0.5 > leaves_at(("post", -1, 0.5), 1.0)
    assert leaves_at(("post", 1, 0.8), 0.0) == leaves_at(("near post", -1, 0.8), 0.0) == 0
    near, far = (leaves_at(("near post", 1, 0.5), x) / leaves_at(("post", 1, 0.5), x) for x in (0.5, 2.0))
    assert near > 1 > far
    # A whirl pushes one way before the middle and the other way behind it.
    assert leaves_at(("whirl", 1, 0.5), 0.0) == pytest.approx(-leaves_at(("whirl", -1, 0.5), 0.0))
    assert abs(leaves_at(("wind", 1, 50.0), 0.0)) < WIDEST_M + 1


@pytest.mark.parametrize(
    ("family", "wrong", "said"),
    [
        (MachineQuestion, {"things": 2}, "greater than or equal to 3"),
        (MachineQuestion, {"things": 3, "asks": "number", "high": 1}, "expected 2 to 4"),
        (MachineQuestion, {"things": 3, "candidates": 4}, "expected at most 3 things"),
        (SlopesQuestion, {"things": 4, "levels": 3}, "expected 2 to 4"),
        (InstrumentQuestion, {"things": 5, "asks": "odd"}, "expected 2 to 4"),
        (FloorQuestion, {"lanes": 3, "kinds": ("post",), "asks": "side", "shut": 1}, "expected 2 to 4"),
        (FloorQuestion, {"lanes": 3, "kinds": ()}, "expected 2 to 4"),
        (MachineQuestion, {"things": 3, "rules": ("two", "any")}, "expected any, two, or any and two"),
        (MachineQuestion, {"things": 3, "colour": "red"}, "Extra inputs"),
    ],
)
def test_wrong_questions_are_refused(family, wrong, said):
    with pytest.raises(ValidationError, match=said):
        family(experiments=3, **wrong)


def test_truth_is_that_of_seed_task_and_trial():
    question = questions(11)[7]
    drawn = [truth(question, 0, "11-08-01", trial) for trial in range(50)]
    assert drawn == [truth(question, 0, "11-08-03", trial) for trial in range(50)]
    assert drawn != [truth(question, 1, "11-08-01", trial) for trial in range(50)]
    assert drawn != [truth(question, 0, "11-09-01", trial) for trial in range(50)]
    code = (
        "from arena.science.families import questions, truth;"
        "print([truth(questions(11)[7], 0, '11-08-01', trial) for trial in range(50)])"
    )
    assert printed_by(code) == f"{drawn}\n"


def test_divergence_is_of_the_truth():
    exact = np.array([0.5, 0.5, 0.0])
    assert divergence(exact, exact) == pytest.approx(0, abs=2e-3)
    assert divergence(exact, np.array([1.0, 0.0, 0.0])) == pytest.approx(0.5 * np.log2(0.25 / 1e-3), rel=0.01)
    assert divergence(exact, np.array([0.25, 0.25, 0.5])) == pytest.approx(1.0)
