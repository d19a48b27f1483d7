"""What is read in replies, and what is said of those that cannot be read."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suites.est.replies import NO_BELIEF, read_reply, written

NINE = (0.9, 0.1, 0.5, 0.25, 1.0, 0.0, 0.001, 0.25, 0.75)
LIST = "[0.9, 0.1, 0.5, .25, 1, 0, 1e-3, 0.25, 0.75]"
STRICT = f"Think('a'); Belief({LIST}); Trial([5, 2]);"


@pytest.mark.parametrize(
    "reply",
    [
        STRICT,
        f'think("a")\nbelief( {LIST} )\ntrial(5,2)',
        f"Here you are:\n```\n{STRICT}\n```",
        f"1. Think('a');\n2. **Belief({LIST})**\n3. Trial([object 2, Object 5])\n",
        f"Think('a'); Belief({LIST}); Trial([0, 1, 0, 0, 1, 0, 0, 0, 0]);",
        "Think('a'); Belief([90%, 10%, 50%, 25%, 100%, 0%, 0.1%, 25%, 75%]); Trial([#2, #5]);",
        "Think('a'); Belief([2: .1, 1: .9, 3: .5, 4:.25, 5: 1, 6: 0, 7: 1e-3, 8:.25, 9: .75]); Trial({2, 5})",
        f"<answer>{STRICT}</answer>",
        f"Think（a）；Belief（{LIST}）；Trial（[2, 5]）；",
    ],
)
def test_common_deviations_mean_the_same(reply):
    read = read_reply(reply)
    assert (read.thoughts, read.belief, read.trial, read.problems) == (("a",), NINE, (2, 5), ())
    strict = read_reply(reply, strict=True)
    assert bool(strict.problems) == bool(read.repairs) == (reply != STRICT)


@pytest.mark.parametrize(
    ("reply", "belief", "trial", "said"),
    [
        ("", False, False, "A reply has a belief and a trial"),
        ("I believe in objects 1 and 2.", False, False, "Answer with nothing but commands"),
        ("Go(3);", False, False, "There is no such command"),
        (f"Belief({LIST}); Trial([10]);", True, False, "Trial needs numbers of objects from 1 to 9"),
        (f"Belief({LIST}); Trial([2, 2]);", True, False, "each once"),
        (f"Belief({LIST}); Trial(the red cube);", True, False, "Trial needs numbers"),
        ("Belief([0.5, 0.5]); Trial([3]);", False, True, "Belief needs 9 probabilities"),
        (f"Belief({LIST[:-5]}7.5]); Trial([3]);", False, True, "from 0 to 1"),
        ("Belief([90, 10, 5, 5, 5, 5, 5, 5, 5]); Trial([3]);", False, True, "from 0 to 1"),
        (f"Belief({LIST}); Belief({LIST}); Trial([3]);", False, True, "more than one Belief"),
        (f"Belief({LIST}); Trial([]); Trial([3]);", True, False, "more than one Trial"),
        ("Trial([3]);", False, True, NO_BELIEF),
        (f"Belief({LIST}", False, False, "Belief needs 9 probabilities"),
    ],
)
def test_what_cannot_be_read_is_said_and_the_rest_holds(reply, belief, trial, said):
    read = read_reply(reply)
    assert (read.belief is not None, read.trial is not None) == (belief, trial)
    assert said in " ".join(read.problems)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=9, max_size=9), st.lists(st.booleans(), min_size=9, max_size=9))
def test_what_is_written_is_read_to_the_bit(belief, trial):
    read = read_reply(written(belief, trial), strict=True)
    assert read.belief == tuple(belief)
    assert read.trial == tuple(k + 1 for k, on in enumerate(trial) if on)
    assert not read.problems


@settings(max_examples=200, deadline=None)
@given(
    st.text(max_size=30)
    | st.lists(st.sampled_from([*STRICT.split(" "), "(", "[", ";", "%", "```", "\n"])).map("".join)
)
def test_nothing_that_is_written_raises(reply):
    read = read_reply(reply)
    assert read.belief is not None or read.problems
