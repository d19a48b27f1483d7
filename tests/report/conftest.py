"""A small run, played once, and its report."""

from pathlib import Path

import pytest

from evaluation.log.run import open_logs
from report.build import write_log_report
from tests.llm_control.batteries import eval_request, evaluated, task_text
from tests.people.conftest import chromium  # noqa: F401


@pytest.fixture(scope="session")
def logs(tmp_path_factory) -> dict[str, Path]:
    """Logs of both offline agents: one task that the pixel agent passes, one that nobody can."""
    home = tmp_path_factory.mktemp("small run")
    for name, mark in (("01-01-01", 0), ("02-01-01", 9)):
        (home / f"{name}.yaml").write_text(task_text(z=17, t=100, mark=mark), "utf-8")
    choices = {"trials": 2, "max_scripts": 4}
    asked = {name: eval_request(f"arena/{name}", home, choices=choices) for name in ("pixels", "random")}
    return {name: evaluated(request, home / name).log for name, request in asked.items()}


@pytest.fixture(scope="session")
def report(logs, tmp_path_factory) -> Path:
    """The folder of a report of both."""
    folder = tmp_path_factory.mktemp("report with blanks")
    opened = open_logs([(None, path) for path in logs.values()])
    write_log_report(opened, folder, frames=True)
    return folder
