"""Models and policies as participants of a study."""

import os
import signal
from pathlib import Path

import pandas as pd
import pytest

from arena.errors import ConfigError, EvaluationError
from arena_llm.study_agents import instructions, left_out, play_study, study_agent
from evaluation.generation.budget import RunLimits
from people.store import Store
from people.store.export import export
from people.study.flow import enrol
from people.study.progress import progress_of, taking_part, used_cells
from tests.command import killed, run
from tests.llm_control.provider import MODEL, answer
from tests.people.study.server import planned

STUDY = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
TOKENS = 1000


@pytest.fixture
def study(tmp_path):
    """The plan and an empty database."""
    plan = planned(tmp_path, STUDY)
    with Store(str(tmp_path / "study.db")) as store:
        yield plan, store


@pytest.fixture
def model(bodies_of):
    """The bodies of requests to a model that always turns."""
    return bodies_of(lambda _: answer("Turn(6);", tokens=TOKENS))


def played(study, names, tmp_path, count=2, limits=None):
    """Let participants of these agents play; returns what was said of each agent."""
    plan, store = study
    said: list[str] = []
    agents = [study_agent(plan, name) for name in names]
    play_study(plan, store, agents, count, tmp_path / "logs", limits or RunLimits(), None, said.append)
    return said


def trials(store, code):
    return [
        (each.block, each.task_id, each.trial, each.mode, each.ended_by)
        for each in store.trials(store.participant_of("mixed", code).id)
    ]


def test_agents_play_the_blocks_that_they_can_in_the_conditions_and_orders_of_the_design(study, tmp_path):
    _, store = study
    names = ("arena/pixels", "arena/braitenberg", "est/random")
    said = played(study, names, tmp_path)
    assert [each.split(";")[0] for each in said] == [f"{n}: 2 of 2 participants have finished" for n in names]
    people = store.participants("mixed")
    assert [each.kind for each in people] == ["policy"] * 6
    for name in names:
        own = [progress_of(store, each) for each in people if each.agent == name]
        assert {each.condition for each in own} == {"long", "short"}
        assert [each.ending.page for each in own] == ["completed"] * 2
        cells = used_cells(store, "mixed", agent=name)
        assert sum(cell.people for cell in cells) == 2
    of_arena = [trial for code in ("arena-pixels-001", "arena-pixels-002") for trial in trials(store, code)]
    assert {(block, mode) for block, _, _, mode, _ in of_arena} == {
        ("practice", "scripts"),
        ("balls", "scripts"),
    }
    assert {mode for *_, mode, _ in trials(store, "arena-braitenberg-001")} == {"steps"}
    assert [each[:4] for each in trials(store, "est-random-001")] == [("objects", "est-00001", 0, "form")]
    # The tries of each condition: whoever fails the practice in "long" has another.
    tries = {
        progress_of(store, each).condition: [t for t in trials(store, each.code) if t[0] == "practice"]
        for each in people
        if each.agent == "arena/braitenberg"
    }
    assert len(tries["short"]) == 1
    assert len(tries["long"]) == 2 - (tries["long"][0][-1] == "goal")
    export(store, "mixed", tmp_path / "data")
    verified = run("verify", tmp_path / "data")
    every = sum(len(store.trials(each.id)) for each in people)
    assert verified.stdout.startswith(f"{every} of {every} episodes: agrees"), verified.stderr
    told = pd.read_csv(tmp_path / "data" / "participants.csv")
    assert list(told["agent"]) == [name for name in names for _ in range(2)]
    # A second call finds everyone there; a larger number adds the others.
    before = len(list((tmp_path / "logs").iterdir()))
    played(study, names[:1], tmp_path)
    assert len(list((tmp_path / "logs").iterdir())) == before
    played(study, names[:1], tmp_path, count=3)
    assert len(store.participants("mixed")) == 7


def test_people_keep_their_places_whatever_agents_do(study, tmp_path):
    plan, store = study
    played(study, ["arena/pixels"], tmp_path)
    assert taking_part(store, "mixed") == 0
    enrol(plan, store, "p1", {})
    assert taking_part(store, "mixed") == 1
    assert sum(cell.people for cell in used_cells(store, "mixed")) == 1


def test_a_model_reads_what_people_read_but_not_what_is_theirs_alone(study, tmp_path, model):
    _, store = study
    played(study, [MODEL], tmp_path, count=1)
    [person] = store.participants("mixed")
    assert (person.kind, person.agent) == ("model", MODEL)
    sent = [str(body["messages"]) for body in model]
    assert not any("Only people read this" in each or "Was it fun" in each for each in sent)
    assert sum("The hunt\\n\\nTouch the ball." in each for each in sent) == 2 * 3
    assert not any("Use the keys" in each for each in sent)
    blocks = [block for block, *_ in trials(store, person.code)]
    assert sorted(blocks) == ["balls"] * 2 + ["objects"] + ["practice"] * blocks.count("practice")
    assert {end for block, *_, end in trials(store, person.code) if block == "balls"} == {"limit"}


@pytest.mark.parametrize("reply", ["", "I am sorry, I cannot help with that.", "banana ((("])
def test_silence_refusal_and_garbage_pass_nothing(reply, study, tmp_path, bodies_of):
    bodies_of(lambda _: answer(reply))
    _, store = study
    played(study, [MODEL], tmp_path, count=1)
    [person] = store.participants("mixed")
    verdicts = [each.passed for each in store.trials(person.id)]
    assert len(verdicts) >= 4
    assert not any(verdicts)
    assert None not in verdicts


def test_a_limit_stops_the_run_and_the_same_command_continues_it(study, tmp_path, model):
    plan, _ = study
    with pytest.raises(
        EvaluationError, match=r"1 of 1 have not finished .*limit of 4000 tokens(?s:.*)continues"
    ):
        played(study, [MODEL], tmp_path, 1, RunLimits(tokens=4 * TOKENS))
    assert len(model) == 4
    assert played(study, [MODEL], tmp_path, 1) == [
        f"{MODEL}: 1 of 1 participants have finished; 0 of 3 test trials passed"
    ]
    total = len(model)
    with Store(str(tmp_path / "other.db")) as other:
        played((plan, other), [MODEL], tmp_path / "other", 1)
    assert len(model) - total == total
    assert not list((tmp_path / "logs").glob("*.jsonl"))


def test_a_killed_run_continues_without_asking_twice(study, tmp_path, openai):
    plan, _ = study
    asked: list[int] = []
    pid = tmp_path / "pid"

    def serve(request):
        asked.append(1)
        if len(asked) == 5:
            os.kill(int(pid.read_text()), signal.SIGKILL)
        return answer("Turn(6);", tokens=TOKENS)

    openai(serve)
    logs = ("--log-dir", tmp_path / "logs")
    command = ["study", plan.source, "--db", tmp_path / "killed.db", "--agent", MODEL, *logs]
    killed(pid, *command)
    again = run(*command, OPENAI_API_KEY="test-key", OPENAI_BASE_URL=os.environ["OPENAI_BASE_URL"])
    assert again.returncode == 0, again.stderr
    assert f"{MODEL}: 1 of 1 participants have finished" in again.stdout
    interrupted = len(asked)
    played(study, [MODEL], tmp_path, count=1)
    # The reply that was under way came after the kill.
    assert interrupted == len(asked) - interrupted + 1


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("arena/pixelz", EvaluationError, "unknown agent 'arena/pixelz'"),
        ("boxing/random", ConfigError, "no tasks of boxing"),
        (MODEL, EvaluationError, "needs a key"),
        ("nonsense", EvaluationError, "unknown model"),
    ],
)
def test_a_wrong_agent_is_refused_before_anything_is_played(name, error, said, study, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(error, match=said):
        study_agent(study[0], name)


def test_what_agents_leave_out_is_said(study):
    plan, _ = study
    assert list(left_out(plan, study_agent(plan, "arena/pixels"))) == [
        "arena/pixels: leaves out the block objects, whose tasks are of est."
    ]
    assert "play a task identically" in "".join(left_out(plan, study_agent(plan, "arena/braitenberg")))
    assert instructions(plan.study.practice) == "Practice\n\nTry it."
