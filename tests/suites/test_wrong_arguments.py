"""Sentences about arguments that only one suite takes; those of every suite are tested with the runner."""

import pytest

from tests.cases import cases


@pytest.mark.parametrize(("suite", "arguments", "said"), cases(__file__)["wrong"])
def test_wrong_arguments_are_said(suite, arguments, said, command, tmp_path):
    failed = command("eval", "--suite", suite, *arguments, "--log-dir", tmp_path)
    assert failed.returncode != 0
    assert said in failed.stderr
    assert "Traceback" not in failed.stderr
