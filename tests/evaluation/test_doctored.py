"""Doctored submissions: each kind is refused by the file alone, by its log, or by the replay of the log.

The author of a doctored file recomputes what follows from the results, so that nothing simple gives it away.
"""

import json
from collections import Counter
from operator import itemgetter

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from arena.errors import EvaluationError, RecordingError
from arena_llm.commands.submission import check_command
from evaluation.log.run import RunLog
from evaluation.results import TrialResult, results_frame
from evaluation.submission import Submitter, rates_of, read_submission, submission, write_submission
from tests.llm_control.batteries import run

TASKS = "01-01-01,01-01-02,02-01-01,02-01-02"
SMALL = {"image_size": 16, "initial_idle_steps": "1", "max_scripts": 4, "trials": 3, "tasks": TASKS}
ME = Submitter(name="A. Tester")


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """A log of the shipped battery, and its submission."""
    home = tmp_path_factory.mktemp("honest")
    log = run(None, home / "logs", "arena/pixels", **SMALL).log
    write_submission(submission(RunLog(log), ME), home / "submission.json")
    return log, home / "submission.json"


def recounted(made: dict) -> dict:
    """A doctored submission with all counts and rates as they follow from its results."""
    keys = [name for name in TrialResult.__dataclass_fields__ if name != "agent"]
    rows = [TrialResult(made["card"]["agent"], **{k: row[k] for k in keys}) for row in made["results"]]
    made["rates"] = [rate.model_dump() for rate in rates_of(results_frame(rows))]
    verdicts = [row.passed for row in rows if row.passed is not None]
    overall = made["rates"][0]
    made["card"].update(planned=len(rows), judged=len(verdicts), passed=sum(verdicts))
    made["card"].update({k: overall[k] for k in ("missing", "pass_rate", "judged_rate", "most")})
    made["card"]["without_verdict"] = Counter(r["missing"] for r in made["results"] if r["missing"])
    return made


def failures(made: dict) -> list[dict]:
    found = [row for row in made["results"] if not row["passed"]]
    assert len(found) > 1
    return found


def half_of_the_failures_missing(made):
    for row in failures(made)[::2]:
        row.update(dict.fromkeys(("passed", "total_reward", "outcome", "score")))
        row.update(error="the provider failed: 500", missing="ended by an error")


def first_trials_only(made):
    made["card"]["trials"] = 1
    made["results"] = [row for row in made["results"] if row["trial"] == 0]


def first_trials_only_as_chosen(made):
    first_trials_only(made)
    made["card"]["choices"]["trials"] = 1


def hard_tasks_dropped(made):
    made["card"]["tasks"] = {k: v for k, v in made["card"]["tasks"].items() if k.startswith("01")}
    made["results"] = [row for row in made["results"] if row["task_id"].startswith("01")]


def zero_hashes(made):
    made["card"]["tasks"] = dict.fromkeys(made["card"]["tasks"], "0" * 64)


def zero_hashes_of_own_tasks(made):
    zero_hashes(made)
    made["own_tasks"] = True


def zero_hashes_of_another_version(made):
    zero_hashes(made)
    made["card"]["task_version"] = "0123456789ab"


def of_all(rows=itemgetter("results"), **values):
    def doctor(made):
        for row in rows(made):
            row.update(values)

    return doctor


def of_one(**values):
    return lambda made: made["results"][0].update(values)


def of_card(**values):
    return lambda made: made["card"].update(values)


FILE, LOG = "file", "log"
PASSED = {"passed": True, "score": 1.0}
MISSING = {"passed": None, "error": "x", "missing": "ended by an error"}
BETTER = {"agent": "lab/better", "model": "lab/better", "answered_by": ["better"]}

DOCTORED = {
    "passed under the mark": (FILE, "but the reward is -5", of_all(**PASSED, total_reward=-5.0)),
    "failures missing, with rewards": (FILE, "no reward, outcome or score", of_all(failures, **MISSING)),
    "trials 2 and 3 dropped": (FILE, "its choices have 3", first_trials_only),
    "hard tasks dropped": (FILE, "that its choices select", hard_tasks_dropped),
    "hashes all 0": (FILE, "its SHA-256 is not that of version", zero_hashes),
    "NaN": (FILE, "got NaN, expected finite numbers", of_one(total_reward=float("nan"))),
    "infinite": (FILE, "expected finite numbers", of_one(total_reward=float("inf"))),
    "steps -10": (FILE, "results.0.steps", of_one(steps=-10)),
    "turns -1": (FILE, "results.0.turns", of_one(turns=-1)),
    "more steps than the clock has": (FILE, "every episode ends after", of_one(steps=10**6)),
    "more turns than allowed": (FILE, "the choices allow 4", of_one(turns=5)),
    "mark -100": (FILE, "pass_mark: got -100.0, the task", of_all(failures, pass_mark=-100.0, **PASSED)),
    "all in level 1": (FILE, "group: got 1, the task has 2", of_all(group=1)),
    "score above 1": (FILE, "score: got 1.5", of_one(score=1.5)),
    "fewer tokens than none": (FILE, "card.output_tokens: got -5", of_card(output_tokens=-5)),
    "no reasons for missing trials": (FILE, "missing: expected a reason", of_one(missing="not played")),
    "no log named": (FILE, "log_sha256: is absent", lambda made: made.update(log_sha256=None)),
    "another log named": (LOG, "that of this log", lambda made: made.update(log_sha256="1" * 64)),
    "half of the failures missing": (LOG, "the log has", half_of_the_failures_missing),
    "trials dropped, as if chosen": (LOG, "card.trials: got 1, the log has 3", first_trials_only_as_chosen),
    "rewards raised": (LOG, "reward: got 1.5, the log", of_all(**PASSED, total_reward=1.5, outcome="goal")),
    "hashes 0 of own tasks": (LOG, "own_tasks: got True", zero_hashes_of_own_tasks),
    "hashes 0 of another version": (LOG, "card.task_version: got", zero_hashes_of_another_version),
    "model renamed": (LOG, "card.model: got lab/better, the log has arena/pixels", of_card(**BETTER)),
    "other software": (LOG, "card.software", of_card(software={"arena_llm": ["9.0"]})),
    "another prompt": (LOG, "card.prompts_sha256", of_card(prompts_sha256="2" * 64)),
    "another day": (LOG, "card.began", of_card(began="2020-01-01T00:00:00+00:00")),
    "cheaper": (LOG, "card.cost_per_pass_usd: got 0.1", of_card(cost_per_pass_usd=0.1)),
    "a complete run called partial": (LOG, "card.partial: got 'it ended'", of_card(partial="it ended")),
    "fewer steps": (LOG, "steps: got 0, the log has", of_all(steps=0)),
}


@pytest.mark.parametrize("kind", DOCTORED)
def test_a_doctored_submission_is_refused_by_the_file_or_its_log(kind, honest, tmp_path):
    log, file = honest
    where, words, doctor = DOCTORED[kind]
    made = json.loads(file.read_text())
    doctor(made)
    # An infinite number is one that JSON has no name for, but that a reader may make of 1e999.
    text = json.dumps(made if "finite" in words else recounted(made)).replace("Infinity", "1e999")
    (tmp_path / "doctored.json").write_text(text)
    if where == LOG:
        read_submission(tmp_path / "doctored.json")
    with pytest.raises(EvaluationError) as refused:
        check_command(tmp_path / "doctored.json", log=log if where == LOG else None)
    assert words in str(refused.value)


def in_score(sample):
    sample.scores["episode_score"].metadata.update(passed=True, total_reward=1.5, score=1.0)


def in_record(sample):
    in_score(sample)
    sample.metadata["episode"].update(passed=True, total_reward=1.5, score=1.0)


def in_everything(sample):
    in_record(sample)
    sample.metadata["episode"]["replay"].update(passed=True, total_reward=1.5)


def in_replies(sample):
    in_everything(sample)
    for turn in sample.metadata["episode"]["turns"]:
        turn["reply"] = "Go(40);"


@pytest.mark.parametrize("tamper", [in_score, in_record, in_everything, in_replies])
def test_a_submission_of_a_tampered_log_is_refused_by_the_replay(tamper, honest, tmp_path, capsys):
    changed = read_eval_log(str(honest[0]), resolve_attachments=True)
    lost = [s for s in changed.samples if not s.scores["episode_score"].metadata["passed"]]
    assert lost
    for sample in lost:
        tamper(sample)
    log, file = tmp_path / "changed.eval", tmp_path / "changed.json"
    write_eval_log(changed, str(log))
    made = submission(RunLog(log), ME)
    assert made.rates[0].pass_rate == 1.0
    write_submission(made, file)
    check_command(file, log=log)
    with pytest.raises(RecordingError, match=f"{len(lost)} of 12 episodes differ from the log"):
        check_command(file, log=log, replay=True)


def test_an_honest_submission_agrees_with_file_log_and_replay(honest, capsys):
    check_command(honest[1], log=honest[0], replay=True)
    said = " ".join(capsys.readouterr().out.split())
    assert "agrees with its results and with its log, which a replay reproduces." in said
    assert "not checked" not in said


def older(made: dict) -> dict:
    """The same as version 0.2 wrote it: schema 1, without what came later."""
    made["schema_version"] = 1
    del made["log_sha256"]
    for row in made["results"]:
        del row["missing"]
    for name in ("missing", "pass_rate", "judged_rate", "most"):
        del made["card"][name]
    for rate in made["rates"]:
        rate["pass_rate"] = rate["judged_rate"]
        for name in ("planned", "judged_rate", "most"):
            del rate[name]
    return made


def test_older_files_and_other_statistics_are_read_and_what_they_lack_is_said(honest, tmp_path, capsys):
    made = json.loads(honest[1].read_text())
    for rate in made["rates"]:
        rate.update(low=0.0, high=1.0)
    (tmp_path / "wide.json").write_text(json.dumps(made))
    read_submission(tmp_path / "wide.json")
    (tmp_path / "old.json").write_text(json.dumps(older(made)))
    check_command(tmp_path / "old.json", log=honest[0])
    assert "a file of schema 1: it has no SHA-256 of its log" in " ".join(capsys.readouterr().out.split())


def test_tasks_of_unknown_origin_are_said_to_be_unchecked(honest, tmp_path, capsys):
    for name, doctor in (("own", zero_hashes_of_own_tasks), ("version", zero_hashes_of_another_version)):
        made = json.loads(honest[1].read_text())
        doctor(made)
        (tmp_path / f"{name}.json").write_text(json.dumps(recounted(made)))
        check_command(tmp_path / f"{name}.json")
        assert "tasks not checked: they" in " ".join(capsys.readouterr().out.split())


def test_the_rank_counts_missing_trials_as_failed(honest, tmp_path, command):
    made = json.loads(honest[1].read_text())
    made["card"]["agent"] = "lab/refuser"
    for row in made["results"][:8]:
        row.update(dict.fromkeys(("passed", "total_reward", "outcome", "score")))
        row.update(error="refused", missing="ended by a refusal")
    made["results"][-1].update(passed=True, total_reward=9.0, score=1.0)
    (tmp_path / "refuser.json").write_text(json.dumps(recounted(made)))
    dropped = json.loads(honest[1].read_text())
    first_trials_only_as_chosen(dropped)
    (tmp_path / "dropped.json").write_text(json.dumps(recounted(dropped)))
    files = (tmp_path / "refuser.json", honest[1], tmp_path / "dropped.json")
    said = command("submission", "rank", *files).succeeded()
    for name, rank in (("lab/refuser", "2"), ("arena/pixels", "1")):
        assert next(line for line in said.splitlines() if name in line).split()[1] == rank
    assert "are not ranked together" in said
