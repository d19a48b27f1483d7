"""The commands in the files of hosting/ are understood by this version."""

import re
import shlex

import pytest
import yaml
from typer.testing import CliRunner

from arena_llm.cli import app
from tests.docs.pages import ROOT
from tests.people.study.server import TINY

HOSTING = ROOT / "hosting"


def container() -> list[str]:
    text = re.sub(r"\$\{(\w+)[^}]*\}", "study.example", (HOSTING / "compose.yaml").read_text())
    return yaml.safe_load(text)["services"]["study"]["command"]


def service() -> list[str]:
    line = re.search(
        r"^ExecStart=\S+/arena-llm (.+)$", (HOSTING / "arena-llm-study.service").read_text(), re.M
    )
    return shlex.split(line[1])


@pytest.mark.parametrize("command", [container(), service()], ids=["container", "service"])
def test_the_study_is_started_by_options_that_exist(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.yaml").write_text(TINY)
    done = CliRunner().invoke(app, [*command, "--check"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "tiny: A tiny study" in done.output


def test_web_servers_forward_to_the_port_of_the_study():
    command = ["play", "--help"]
    port = re.search(r"--port.*?\[default: (\d+)\]", CliRunner().invoke(app, command).output, re.S)[1]
    for name in ("Caddyfile", "nginx.conf", "compose.yaml"):
        assert f":{port}" in (HOSTING / name).read_text()
