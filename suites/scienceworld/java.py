"""Shared Java process, with any number of concurrent worlds."""

import atexit
import logging
import os
import shutil
import subprocess
import threading
import warnings
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

from arena.errors import ConfigError, EvaluationError
from arena.packages import require

MEMORY = "1g"
"""Maximum memory for worlds, each of which takes about 11 MB."""

_OPTIONS = (
    *(f"-Xmx{MEMORY}", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"),
    # The simulator keeps things in the order of their identity hashes: random ones, unless all of them are 1.
    *("-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2"),
)

_LOGGERS = (logging.getLogger(), logging.getLogger("py4j.java_gateway"))
"""Loggers that print traces of broken connections, redundant with SimulatorLost."""


class SimulatorLost(EvaluationError):
    """The Java process has ended, with its worlds. The next world restarts it."""


class Java:
    """Java process with its connection. Raises ConfigError if Java or a package is missing."""

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
        # The simulator prints what it does, and would block on unread output.
        threading.Thread(target=deque, args=(self.process.stdout, 0), daemon=True).start()
        # Not freed by the garbage collector, which may run anywhere, also when Java has ended.
        parameters = GatewayParameters(port=port, auth_token=token, enable_memory_management=False)
        self._gateway = JavaGateway(gateway_parameters=parameters)
        self.join = self._gateway.jvm.java.lang.String.join
        # Shared by worlds: random numbers, and the number of the newest thing, which is `latest`'s.
        self.random = getattr(getattr(self._gateway.jvm.scala.util, "Random$"), "MODULE$")
        self.numbers = getattr(getattr(self._gateway.jvm.util, "UniqueIdentifier$"), "MODULE$")
        self.latest: Any = None
        self.lock = threading.Lock()
        self.version = self._version()

    def _started(self) -> tuple[int, str]:
        """Start Java; return its port and the password."""
        assert self.process.stdout is not None
        words: list[str] = []
        # Java may first list the options it has read from the environment.
        for line in self.process.stdout:
            if line.strip().isdecimal():
                return int(line), self.process.stdout.readline().strip()
            words += line.split()
        self.process.kill()
        said = " ".join(words)[:300]
        raise ConfigError(
            f"Java cannot run ScienceWorld: {said or 'it ended at once'}; is it version 8 or newer?"
        )

    def _version(self) -> str:
        """Return Java's version; warn if its identity hashes are random."""
        java = self._gateway.jvm.java.lang
        found = " ".join(java.System.getProperty(f"java.{name}") for name in ("version", "vm.name"))
        if java.System.identityHashCode(java.Object()) == 1:
            return found
        warnings.warn(
            f"ScienceWorld on {found}: this Java does not follow -XX:hashCode=2, as HotSpot does, so the "
            "same commands may give other texts: `arena-llm verify` then reports differences, and a run that "
            "is resumed from its replies continues in a different world",
            stacklevel=2,
        )
        return f"{found}, not reproducible"

    @property
    def alive(self) -> bool:
        """Return whether this process can open worlds in it."""
        return self.owner == os.getpid() and self.process.poll() is None

    def new(self) -> Any:
        """Create an interface to a world that is not loaded yet."""
        with self.calling():
            before = self.numbers.count()
            made = self._gateway.jvm.scienceworld.runtime.pythonapi.PythonInterface()
            # It makes things of its own, which are not the latest world's.
            self.set_count(before)
            return made

    def set_count(self, number: int) -> None:
        """Number the next new thing, within a call."""
        getattr(self.numbers, "count_$eq")(number)

    def free(self, interface: Any) -> None:
        """Let Java forget an interface."""
        with suppress(SimulatorLost), self.calling():
            self.forget(interface)

    def forget(self, made: Any) -> None:
        """Let Java free an object, within a call."""
        self._gateway.detach(made)

    @contextmanager
    def calling(self) -> Generator[None, None, None]:
        """Serialise calls, as worlds share state. Raises SimulatorLost if the process is gone."""
        from py4j.protocol import Py4JError, Py4JJavaError

        with self.lock:
            for logger in _LOGGERS:
                logger.addFilter(_is_not_py4j)
            try:
                yield
            except Py4JJavaError as error:
                fault = str(error.java_exception)
                self.forget(error.java_exception)
                raise EvaluationError(f"ScienceWorld's simulator failed: {fault[:200]}") from None
            except (Py4JError, OSError):
                raise SimulatorLost(self._epitaph()) from None
            finally:
                for logger in _LOGGERS:
                    logger.removeFilter(_is_not_py4j)

    def _epitaph(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        status = self.process.returncode
        said = f"ScienceWorld's Java process has ended (exit status {status}), and with it the episode"
        memory = f"; it ran out of its {MEMORY} of memory: play fewer episodes at a time"
        return said + memory if status == 3 else said

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


def _is_not_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in record.pathname


_running: Java | None = None


def running() -> Java:
    """Return the worlds' process, starting it if necessary."""
    global _running
    if _running is None or not _running.alive:
        _running = Java()
        atexit.register(_running.close)
    return _running


def _in_child() -> None:
    """Make a forked process start its own Java, and close its parent's input."""
    global _running
    if _running is not None and _running.process.stdin is not None:
        atexit.unregister(_running.close)
        with suppress(OSError):
            _running.process.stdin.close()
        _running = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


def check_installed() -> None:
    """Raise ConfigError, with advice, if the package or Java is missing."""
    require("scienceworld")
    java()


def java() -> str:
    """Find the command that runs Java. Raises ConfigError, with what to install, if missing."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=os.path.join(home, "bin")) if home else None
    if (command := found or shutil.which("java")) is None:
        raise ConfigError(
            "ScienceWorld needs Java 8 or newer, and no command `java` was found; run: "
            "sudo apt-get install default-jre-headless (`make scienceworld` does, in a clone)"
        )
    return command
