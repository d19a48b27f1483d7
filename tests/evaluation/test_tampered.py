"""Wrong kinds inside a log: every reader gives a sentence with the place, or a result; never a traceback."""

import json
import random
from itertools import product

import pytest
from typer.testing import CliRunner

from arena import Recording
from arena.errors import ArenaError
from arena.replay import Replay
from arena_llm.cli import app
from arena_llm.replay import arena_of, find_recording
from arena_llm.verify import as_json, pass_rates, worst
from evaluation.log.run import RunLog, open_logs
from evaluation.request import deviations, read_plan
from evaluation.submission import Submitter, submission
from evaluation.verify.sample import verify_sample
from evaluation.verify.sources import Options, find_sources
from report import files
from report.build import write_log_report
from report.comparison.read import read_run
from tests.cases import cases
from tests.evaluation.tampered import ABSENT, WRONG, members, places, tampered, write
from tests.suites.setups import each_of

CASES = cases(__file__)

TINY = {suite: options.split() for suite, options in CASES["tiny"].items()}

OURS = ("metadata", "params", "task_args")
"""Keys of Inspect's log below which everything is written by a run of ours."""


def play(*options):
    done = CliRunner().invoke(app, ["eval", *map(str, options)])
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The log of one episode of a suite, played once."""
    known = {}

    def log_of(suite):
        if suite not in known:
            home = tmp_path_factory.mktemp(suite)
            play("--suite", suite, *TINY[suite], "--log-dir", home / "logs")
            (known[suite],) = (home / "logs").glob("*.eval")
        return known[suite]

    return log_of


def read_everything(log, out, replays):
    """All that commands do with a log; `replays` says whether episodes may be played again."""
    read_run(str(log))
    yield submission(RunLog(log), Submitter(name="A. Tester"))
    if replays:
        found = find_sources([log], lambda _: False)
        every = [each for source in found.sources for each in verify_sample(source, Options())]
        rates, _ = pass_rates(found.logs, every)
        yield as_json(every, rates), worst(every, rates)
    yield write_log_report(open_logs([(None, log)]), out, frames=False)


def outcomes(log, cases, tmp_path, replays):
    """The faults in words that were met; fails with the place of a value that leads to a traceback."""
    parts, said = members(log), []
    for path, wrong in cases:
        write(tmp_path / log.name, tampered(parts, path, wrong))
        try:
            for _ in read_everything(tmp_path / log.name, tmp_path / "report", replays):
                pass
        except ArenaError as error:
            said.append((path, str(error)))
        except Exception as error:
            error.add_note(f"{'/'.join(map(str, path))} = {wrong!r}"[:300])
            raise
    return said


def cases_of(log, number, ours=True):
    """Places and wrong values, drawn with a fixed seed; `ours`: only of what a run of ours writes."""
    found = [path for path in places(members(log)) if len(path) > 1 and not path[0].startswith("_journal")]
    kept = [path for path in found if not ours or any(key in path for key in OURS)]
    every = list(product(kept, WRONG))
    return random.Random(1).sample(every, min(number, len(every)))


@pytest.fixture(autouse=True)
def without_figures(monkeypatch):
    """Figures take most of a report's time, and have nothing but its tables."""
    monkeypatch.setattr(files, "draw_groups", lambda *_: None)
    monkeypatch.setattr(files, "write_figure", lambda *_: None)


@pytest.mark.parametrize("suite", ["arena", "est"])
def test_a_wrong_kind_is_a_sentence_or_a_result(suite, played, tmp_path):
    log = played(suite)
    said = outcomes(log, cases_of(log, 10), tmp_path, replays=True)
    assert len(said) > 2
    # What a run wrote is named by its file and its place.
    assert all(log.name in text or "trial 0" in text for _, text in said), said


@pytest.mark.e2e
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_a_plan_and_a_recording_with_a_wrong_kind_are_a_sentence_or_a_result(every, tmp_path):
    play(*TINY["arena"], "--plan", tmp_path / "plan.json", "--log-dir", tmp_path)
    plan = json.loads((tmp_path / "plan.json").read_text())
    recording = find_recording(*tmp_path.glob("*.eval"))[0].model_dump(mode="json")
    cases = product(places({"plan": plan, "recording": recording}), WRONG)
    for path, wrong in list(cases)[::every]:
        name, file, said = path[0], tmp_path / f"{path[0]}.json", ""
        if len(path) == 1:
            continue
        file.write_text(json.dumps(tampered({"plan": plan, "recording": recording}, path, wrong)[name]))
        try:
            if name == "plan":
                list(deviations(read_plan(file), plan))
            else:
                with Replay(found := Recording.read(file), arena_of(found)) as again:
                    again.to_end()
        except ArenaError as error:
            said = str(error)
        # A recording of another task asks for that task's file.
        assert not said or str(file) in said or "--task" in said


@pytest.mark.slow
@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize("suite", each_of(TINY))
def test_no_wrong_kind_anywhere_is_a_traceback(suite, ours, played, tmp_path):
    log = played(suite)
    assert outcomes(log, cases_of(log, 250, ours), tmp_path, replays=suite != "discoveryworld")


def test_the_sentence_has_file_place_got_and_expected(played, tmp_path):
    log = played("est")
    parts = members(log)
    sample = next(name for name in parts if name.startswith("samples/"))
    big = ("sample metadata episode steps", 10**400, "steps: got 1")
    for place, wrong, words in (*CASES["sentences"], big):
        path = [int(key) if key.isdigit() else {"sample": sample}.get(key, key) for key in place.split()]
        wrong = ABSENT if wrong == "ABSENT" else wrong
        write(tmp_path / log.name, tampered(parts, path, wrong))
        with pytest.raises(ArenaError) as refused:
            list(RunLog(tmp_path / log.name).episodes())
        assert str(tmp_path / log.name) in str(refused.value)
        assert words in str(refused.value)
        assert len(str(refused.value)) < 400
