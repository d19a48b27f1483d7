"""A real study server in a process of its own."""

import re
import subprocess
import sys
from pathlib import Path

import httpx

from people.simulation.visitor import client_at
from people.study.plan import Plan, load_plan
from tests.people.play.server import Server

LINKS = "from: link, id: PROLIFIC_PID, keep: [STUDY_ID], unsigned: true"
TINY = Path(__file__).with_name("tiny.yaml").read_text(encoding="utf-8")


def planned(folder: Path, text: str = TINY) -> Plan:
    """The plan of a study whose file stands in a folder."""
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return load_plan(folder / "study.yaml")


class StudyServer(Server):
    """`url` has no slash at its end; `experimenter` is the whole address that was printed."""

    def __init__(
        self, folder: Path, text: str = TINY, *, db: str | None = None, port: int = 0, workers: int = 1
    ) -> None:
        config = folder / "study.yaml"
        config.write_text(text, encoding="utf-8")
        self.database = db or f"sqlite:///{folder / 'study.db'}"
        command = [sys.executable, "-m", "arena_llm", "study", str(config), "--db", self.database]
        command += ["--workers", str(workers), "--port", str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        printed = ""
        while "Ctrl-C" not in printed:
            line = self.process.stdout.readline()
            assert line, printed
            printed += line
        self.printed = printed
        self.url = re.search(r"Participants: (http://[^/]+)", printed)[1]
        self.experimenter = re.search(r"Experimenter: (\S+)", printed)[1]
        self.port = int(self.url.rpartition(":")[2])

    def visitor(self) -> httpx.Client:
        """A browser without a page: it keeps cookies and sends forms as a page of the server would."""
        return client_at(self.url)
