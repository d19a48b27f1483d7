"""The simulator: one Java process for this one, in which any number of worlds are open at a time."""

import atexit
import json
import logging
import os
import re
import shutil
import subprocess
import threading
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from arena.errors import ConfigError, EvaluationError
from arena.packages import require

MEMORY = "1g"
"""The most memory for worlds, each of which takes about 11 MB."""

_OPTIONS = (f"-Xmx{MEMORY}", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError")

_GOAL = re.compile(r"^\d+\t(true|false)\s+(\w+)\t(.*)$")

UNUSABLE = ("No known action matches that input.", "Unknown action.")
"""How the simulator's answer to a command begins that it could not read."""


class SimulatorLost(EvaluationError):
    """The Java process has ended, so that its worlds are gone; the next world starts another."""


class Subgoal(NamedTuple):
    """One of the goals that a score is made of; `required` ones are reached in their order."""

    text: str
    required: bool
    reached: bool


class Answer(NamedTuple):
    """What the simulator answers to a command: a text, the score from -1 to 1, and whether the task is over.

    -1 is the score of a wrong answer, after which there is nothing more to win.
    """

    text: str
    score: float
    over: bool


class World:
    """A variation of a task, loaded and played by commands. Raises SimulatorLost if Java has ended.

    `name` is the simulator's own, `simplifications` is its text for them (names with commas, or easy). With
    `gold` a path to the full score is worked out, which makes loading several times slower.
    """

    def __init__(self, name: str, variation: int, simplifications: str, gold: bool = False) -> None:
        self._java = _simulator()
        self._world = self._java.new()
        self.has_gold = gold
        self._called("load", name, variation, simplifications, gold)

    def step(self, command: str) -> Answer:
        """Carry out a command."""
        text = self._called("step", command)
        score = float(self._called("getScore"))
        return Answer(str(text), score, bool(self._called("getCompleted")) or score < 0)

    def look(self) -> str:
        """What is around; takes no time, as `inventory` and `description` do not."""
        return str(self._called("freeActionLook"))

    def inventory(self) -> str:
        """What the agent carries."""
        return str(self._called("freeActionInventory")).strip()

    def description(self) -> str:
        """What the task is."""
        return str(self._called("getTaskDescription"))

    def moves(self) -> int:
        """The moves as the simulator counts them: without looking, and with every step of waiting."""
        return int(self._called("getNumMoves"))

    def subgoals(self) -> tuple[Subgoal, ...]:
        """The goals of the task; they stay the same in their order."""
        found, required = [], True
        for line in str(self._called("getGoalProgressStr")).splitlines():
            required = required and not line.startswith("Unordered")
            if (goal := _GOAL.match(line)) is not None:
                found.append(Subgoal(goal[3].strip(), required, goal[1] == "true"))
        return tuple(found)

    def templates(self) -> list[str]:
        """The commands that there are, with OBJ for what is named."""
        return sorted(self._called("getPossibleActions"))

    def objects(self) -> list[str]:
        """Names of everything that can be referred to now."""
        return sorted(set(self._called("getPossibleObjects")))

    def valid_actions(self) -> list[str]:
        """Every command that would do something now, some hundred; takes as long as ten steps."""
        found = json.loads(self._called("getValidActionObjectCombinationsJSON"))
        return sorted({each["action"] for each in found["validActions"]})

    def gold(self) -> list[str]:
        """The path to the full score, if the world was loaded with it."""
        return list(self._called("getGoldActionSequence"))

    def close(self) -> None:
        """Free the world's memory."""
        self._java.free(self._world)

    def _called(self, method: str, *arguments: Any) -> Any:
        with self._java.calling():
            made = getattr(self._world, method)(*arguments)
            if isinstance(made, str | int | float | bool | None):
                return made
            # Fetched at once, not entry by entry; none has more than one line.
            entries = self._java.join("\n", made).splitlines()
            self._java.forget(made)
            return entries


class _Java:
    """The process and the connection to it. Raises ConfigError if Java or a package is missing."""

    def __init__(self) -> None:
        check_installed()
        from py4j.java_gateway import GatewayParameters, JavaGateway, find_jar_path
        from scienceworld.constants import BASEPATH, JAR_PATH

        jars = os.pathsep.join((find_jar_path(), JAR_PATH))
        server = ("py4j.GatewayServer", "--die-on-broken-pipe", "--enable-auth", "0")
        self.owner = os.getpid()
        # In a group of its own Ctrl-C does not end it before us; when its input is closed it ends by itself.
        self.process = subprocess.Popen(
            [java(), *_OPTIONS, "-classpath", jars, *server],
            cwd=BASEPATH,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            process_group=0,
        )
        port, token = self._started()
        # The simulator prints what it does, and would wait if nobody read it.
        threading.Thread(target=deque, args=(self.process.stdout, 0), daemon=True).start()
        # Not freed by the garbage collector, which may run anywhere, also when Java has ended.
        parameters = GatewayParameters(port=port, auth_token=token, enable_memory_management=False)
        self._gateway = JavaGateway(gateway_parameters=parameters)
        self.join = self._gateway.jvm.java.lang.String.join
        self.lock = threading.Lock()
        _silence()

    def _started(self) -> tuple[int, str]:
        """Where it listens, and the password."""
        assert self.process.stdout is not None
        port = self.process.stdout.readline().strip()
        if port.isdecimal():
            return int(port), self.process.stdout.readline().strip()
        self.process.kill()
        said = " ".join([port, *self.process.stdout.read().split()])[:300]
        raise ConfigError(
            f"Java cannot run ScienceWorld: {said or 'it ended at once'}; is it version 8 or newer?"
        )

    @property
    def alive(self) -> bool:
        """Whether worlds can be opened in it by this process."""
        return self.owner == os.getpid() and self.process.poll() is None

    def new(self) -> Any:
        """An interface to a world that is not loaded yet."""
        with self.calling():
            return self._gateway.jvm.scienceworld.runtime.pythonapi.PythonInterface()

    def free(self, interface: Any) -> None:
        """Let Java forget an interface."""
        with suppress(SimulatorLost), self.calling():
            self.forget(interface)

    def forget(self, made: Any) -> None:
        """Let Java free an object, within a call."""
        self._gateway.detach(made)

    @contextmanager
    def calling(self) -> Generator[None, None, None]:
        """One call at a time, as worlds share state. Raises SimulatorLost if the process is gone."""
        from py4j.protocol import Py4JError, Py4JJavaError

        with self.lock:
            try:
                yield
            except Py4JJavaError as error:
                fault = str(error.java_exception)
                self.forget(error.java_exception)
                raise EvaluationError(f"ScienceWorld's simulator failed: {fault[:200]}") from None
            except (Py4JError, OSError):
                raise SimulatorLost(self._epitaph()) from None

    def _epitaph(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        status = self.process.returncode
        memory = (
            f"; it ran out of its {MEMORY} of memory: play fewer episodes at a time" if status == 3 else ""
        )
        return (
            f"ScienceWorld's Java process has ended (exit status {status}), and with it the episode{memory}"
        )

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


def _silence() -> None:
    """Keep py4j from printing the trace of a broken connection, of which SimulatorLost says what to know.

    It writes to a logger of its own, and to the root.
    """
    own = logging.getLogger("py4j")
    own.propagate = False
    own.addHandler(logging.NullHandler())
    logging.getLogger().addFilter(_is_not_py4j)


def _is_not_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in record.pathname


_running: _Java | None = None


def _simulator() -> _Java:
    global _running
    if _running is None or not _running.alive:
        _running = _Java()
        atexit.register(_running.close)
    return _running


def _in_child() -> None:
    """A forked process starts its own Java, and does not keep the input of its parent's open."""
    global _running
    if _running is not None and _running.process.stdin is not None:
        atexit.unregister(_running.close)
        with suppress(OSError):
            _running.process.stdin.close()
        _running = None


os.register_at_fork(after_in_child=_in_child)


def check_installed() -> None:
    """Raise ConfigError, with what to install, if the package or Java is missing."""
    require("scienceworld")
    java()


def java() -> str:
    """The command that runs Java. Raises ConfigError, with what to install, if there is none."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=os.path.join(home, "bin")) if home else None
    if (command := found or shutil.which("java")) is None:
        raise ConfigError(
            "ScienceWorld needs Java 8 or newer, and no command `java` was found; run: "
            "sudo apt-get install default-jre-headless (`make scienceworld` does, in a clone)"
        )
    return command
