"""Options of Inspect AI's own command, obeyed or refused; its private API, and what it makes of errors."""

import ast
from pathlib import Path

import inspect_ai
import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import GenerateConfig, get_model

import evaluation.generation.generate as faults
from arena import ConfigError, RecordingError
from evaluation.inspect_task.interface import InspectUserError, PrerequisiteError, refusing
from evaluation.inspect_task.registry import registered
from evaluation.log.run import RunLog
from tests.cases import cases
from tests.llm_control.batteries import ARENA, battery_of
from tests.llm_control.provider import MODEL, answer, failure
from tests.test_structure import FILES, ROOT, nodes

CASES = cases(__file__)

SMALL = {"image_size": 16, "initial_idle_steps": 1, "max_scripts": 2}

battery = battery_of((20, 16))


@pytest.fixture
def bodies(bodies_of, monkeypatch):
    """What the local server was sent; it answers with a turn, and a broken model with a failure."""
    monkeypatch.setattr(faults, "FIRST_WAIT_S", 0.01)
    return bodies_of(lambda sent: failure(500) if "broken" in sent[-1]["model"] else answer("Turn(6);"))


def evaluated(battery, tmp_path, options, model=MODEL, **arguments):
    """As `inspect eval arena_llm/testbed` with options, and arguments by -T."""
    arguments = {"folder": str(battery), **SMALL, **arguments}
    folder = str(tmp_path / "logs")
    (log,) = inspect_ai.eval(
        "arena_llm/testbed", model, task_args=arguments, display="none", log_dir=folder, **options
    )
    return log


def test_parameters_are_sent_and_logged_as_the_choices(battery, tmp_path, bodies):
    given = {option: value for option, (value, *_) in CASES["sent"].items()}
    log = evaluated(battery, tmp_path, given)
    for _, name, sent in CASES["sent"].values():
        assert [body[name] for body in bodies] == [sent] * 2
    choices = RunLog(Path(log.location)).choices
    assert {option: getattr(choices, option, value) for option, value in given.items()} == given | {"seed": 0}


def test_a_task_that_was_made_before_obeys_too(battery, tmp_path, bodies):
    def begun(options, model=MODEL, **choices):
        task = registered(ARENA)(folder=str(battery), **SMALL, **choices)
        (log,) = inspect_ai.eval(task, model, display="none", log_dir=str(tmp_path / "logs"), **options)
        return read_eval_log(log.location).samples[0]

    begun({"temperature": 0.7})
    begun({}, model=get_model(MODEL, config=GenerateConfig(temperature=0.3)))
    assert [body["temperature"] for body in bodies] == [0.7, 0.7, 0.3, 0.3]
    refused = begun({"temperature": 0.7}, temperature=0.5).error
    assert "--temperature 0.7 contradicts temperature = 0.5" in refused.message
    assert len(bodies) == 4


@pytest.mark.parametrize(
    "options",
    [
        {"reasoning_effort": "low", "reasoning_summary": "concise", "reasoning_tokens": 99},
        {"reasoning_effort": "none", "reasoning_summary": "none", "timeout": 99, "attempt_timeout": 9},
    ],
)
def test_what_the_model_would_not_take_is_asked_for_too(options, battery, tmp_path, bodies):
    log = evaluated(battery, tmp_path, options)
    (config, _) = [event.config for event in log.samples[0].events if event.event == "model"]
    assert {name: getattr(config, name) for name in options} == options


@pytest.mark.parametrize(
    ("options", "arguments", "told"),
    [*CASES["against"], ({"epochs": inspect_ai.Epochs(2, "mean")}, {}, "--epochs-reducer: pass rates")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_option_against_a_choice_is_refused(options, arguments, told, battery, tmp_path, bodies):
    with pytest.raises((InspectUserError, ConfigError), match=told):
        evaluated(battery, tmp_path, options, **arguments)
    assert bodies == []
    assert not list((tmp_path / "logs").glob("*.eval"))


def test_an_option_that_says_the_same_as_a_choice_is_no_contradiction(battery, tmp_path, bodies):
    options = {"temperature": 0.5, "epochs": 2, "max_retries": 2}
    assert len(evaluated(battery, tmp_path, options, temperature=0.5, trials=2, retries=2).samples) == 2
    assert {body["temperature"] for body in bodies} == {0.5}


def test_epochs_and_limits_are_obeyed(battery, tmp_path, bodies):
    log = evaluated(battery, tmp_path, {"epochs": 2, "message_limit": 4})
    assert RunLog(Path(log.location)).planned == 2
    assert [sample.limit.type for sample in log.samples] == ["message"] * 2
    log = evaluated(battery, tmp_path, {"token_limit": 1})
    assert log.samples[0].limit.type == "token"


@pytest.mark.parametrize(("retries", "requests"), [(0, 1), (1, 2)])
def test_retries_are_obeyed(retries, requests, battery, tmp_path, bodies):
    log = evaluated(battery, tmp_path, {"max_retries": retries}, "openai/gpt-4o-broken")
    assert log.samples[0].error is not None
    assert len(bodies) == requests


def test_a_seed_is_that_of_an_offline_agent(battery, tmp_path):
    def replies(options, **arguments):
        log = evaluated(battery, tmp_path, options, "arena/random", **arguments)
        return [turn["reply"] for turn in log.samples[0].metadata["episode"]["turns"]]

    assert replies({"seed": 5}) == replies({"seed": 5})
    assert replies({"seed": 5}) != replies({})


PRIVATE = {
    *("inspect_ai._eval.task.log.resolve_eval_scorers", "inspect_ai._util.error.PrerequisiteError"),
    *("inspect_ai.scorer._scorer.as_scorer_spec", "inspect_ai.model._model.active_model"),
    *("inspect_ai.model._model.model_usage_cost", "inspect_ai.model._generate_config.active_generate_config"),
}


def private_names(path: Path) -> set[str]:
    """What a file imports of Inspect AI that is private, or of a private module."""
    found = [node for node in nodes(path) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {".".join(filter(None, (getattr(n, "module", ""), a.name))) for n in found for a in n.names}
    return {name for name in names if name.startswith("inspect_ai") and "._" in name}


def test_one_adapter_only_imports_what_is_private_to_inspect():
    found = {path.relative_to(ROOT): names for path in FILES if (names := private_names(path))}
    assert found == {Path("evaluation/inspect_task/interface.py"): PRIVATE}


def test_an_error_of_a_user_is_one_of_both_kinds_with_the_same_text():
    @refusing
    def fail() -> None:
        raise RecordingError("a[b]: broken")

    with pytest.raises(InspectUserError, match=r"^a\[b\]: broken$") as caught:
        fail()
    assert isinstance(caught.value, ConfigError)
    assert isinstance(caught.value, PrerequisiteError)
    # Inspect prints this with rich, to which a bare bracket would be markup.
    assert caught.value.message == r"a\[b]: broken"


@pytest.mark.parametrize(("text", "hint"), CASES["hints"])
def test_hints_name_arguments_of_inspects_command(text, hint):
    @refusing
    def fail() -> None:
        raise ConfigError(text)

    with pytest.raises(InspectUserError) as caught:
        fail()
    assert hint in str(caught.value)
