"""One small run, played once."""

import pytest

from tests.broken_off import broken_off
from tests.llm_control.batteries import eval_request, evaluated, task_text


@pytest.fixture(scope="session")
def battery(tmp_path_factory):
    folder = tmp_path_factory.mktemp("battery")
    for number, yaw in enumerate((100, 0), start=1):
        (folder / f"01-{number:02d}-01.yaml").write_text(task_text(yaw=yaw))
    return folder


@pytest.fixture(scope="session")
def log(battery, tmp_path_factory):
    """A log of arena/pixels: the first episode has several turns, the second one."""
    folder = tmp_path_factory.mktemp("logs")
    return evaluated(eval_request("arena/pixels", folder=battery), folder).log


@pytest.fixture
def killed(monkeypatch):
    """The log of a conversation that was broken off in its second episode, and resumed."""
    return lambda battery, logs, **choices: broken_off(battery, logs, monkeypatch, 4, **choices)
