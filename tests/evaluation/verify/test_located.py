"""What another machine gets to know of the files that it needs; here another folder stands for it."""

import pickle

import pytest

from arena.errors import EvaluationError
from evaluation.verify.sample import verify_sample
from evaluation.verify.sources import Options, Verdict, find_sources, located, verify_located


@pytest.fixture
def sent(log, battery, monkeypatch):
    """The first episode of a log, named from the folder beside it, as a process elsewhere gets it."""
    monkeypatch.chdir(log.parent)
    (source, *_) = find_sources([log.relative_to(log.parent)], lambda _: False).sources
    assert not source.path.is_absolute()
    return pickle.dumps(located(source, Options(False, battery, None)))


def test_a_log_is_found_from_another_folder_and_named_as_it_was_given(sent, log, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (checked,) = verify_located(pickle.loads(sent), Options(), verify_sample)
    assert checked.verdict is Verdict.AGREES
    assert checked.source.startswith(log.name)


def test_a_log_that_is_not_seen_is_named(sent, log):
    away = log.rename(log.with_suffix(".away"))
    try:
        with pytest.raises(EvaluationError, match=rf"^{log}: is not on .*; `verify --engine ray` needs logs"):
            verify_located(pickle.loads(sent), Options(), verify_sample)
    finally:
        away.rename(log)
