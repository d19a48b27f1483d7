"""The package as it is, in a process of its own, because ours changes it: for comparisons of speed."""

import atexit
import contextlib
import io
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Mapping
from typing import Any


def stepper(scenario: str, difficulty: str) -> Callable[[Mapping[str, Any]], None]:
    """Plays actions as the package's own agents do: action, tick, and the whole observation with pictures.

    The function that is returned raises EOFError if the process has ended.
    """
    ours, other = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(other, scenario, difficulty), daemon=True
    )
    process.start()
    other.close()
    atexit.register(process.kill)
    ours.recv()

    def step(action: Mapping[str, Any]) -> None:
        ours.send(dict(action))
        ours.recv()

    return step


def _serve(pipe: Any, scenario: str, difficulty: str) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        from discoveryworld.DiscoveryWorldAPI import DiscoveryWorldAPI

        api = DiscoveryWorldAPI()
        api.loadScenario(scenario, difficulty, 0)
        api.getAgentObservation(0)
        pipe.send(True)
        with contextlib.suppress(EOFError):
            while True:
                api.performAgentAction(0, pipe.recv())
                api.tick()
                pipe.send(bool(api.getAgentObservation(0)))
