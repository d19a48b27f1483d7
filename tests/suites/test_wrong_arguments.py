"""Sentences about arguments that only one suite takes; those of every suite are tested with the runner."""

import pytest

RANDOM = ("--model", "discoveryworld/random")
WRONG = (
    ("est", ("--model", "est/naive", "--protocol", "image"), "reads words, and this run has none"),
    ("est", ("--model", "est/naive", "--image-format", "jpeg"), "there are no pictures"),
    ("est", ("--model", "est/naive", "--tasks", "est-7"), "est-00001 to est-99999"),
    ("boxing", ("--model", "boxing/eig", "--environments", "rats"), "environments: got 'rats'"),
    ("boxing", ("--model", "boxing/eig", "--environments", "irt", "--goals", "source"), "no task"),
    ("boxing", ("--model", "boxing/eig", "--goals", "x"), "goals: got 'x'"),
    ("boxing", ("--model", "boxing/eig", "--evaluations", "1,x"), "got 'x', expected whole numbers from 0"),
    ("boxing", ("--model", "boxing/eig", "--narrator", "nobody"), "unknown model 'nobody'"),
    ("boxing", ("--model", "boxing/eig", "--novice-model", "gpt-4o"), "there is no novice"),
    ("discoveryworld", (*RANDOM, "--seeds", "x"), "seeds: got 'x'"),
    ("discoveryworld", (*RANDOM, "--judge", "gpt-4o"), "set OPENAI_API_KEY"),
    ("discoveryworld", (*RANDOM, "--tasks", "proteomic"), "did you mean proteomics"),
    ("discoveryworld", (*RANDOM, "--tasks", "proteomics-easy-x"), "proteomics-easy"),
    ("discoveryworld", (*RANDOM, "--tasks", "easy,proteomics-easy"), "named twice"),
    ("laboratory", ("--model", "laboratory/ideal", "--levels", "9"), "levels from 11 to 14"),
    ("laboratory", ("--model", "laboratory/ideal", "--tasks", "11-31-01"), "did you mean 11-"),
    ("scienceworld", ("--model", "scienceworld/gold", "--tasks", "4-5"), "no task 4-5; did you mean 4-"),
    ("scienceworld", ("--model", "scienceworld/gold", "--tasks", "find-plants"), "did you mean find-plant"),
    ("scienceworld", ("--model", "scienceworld/gold", "--tasks", "4-1,4-1-0225"), "named twice"),
)


@pytest.mark.parametrize(("suite", "arguments", "said"), WRONG)
def test_wrong_arguments_are_said(suite, arguments, said, command, tmp_path):
    failed = command("eval", "--suite", suite, *arguments, "--log-dir", tmp_path)
    assert failed.returncode != 0
    assert said in failed.stderr
    assert "Traceback" not in failed.stderr
