"""The command of the benchmarks, and what they print."""

import io
import os
import subprocess
import sys

from rich.console import Console

COMMAND = [sys.executable, "-m", "benchmarks"]


def bench(*arguments, **environment):
    command = [*COMMAND, *map(str, arguments)]
    env = os.environ | environment
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


def printed(show, *arguments):
    console = Console(file=io.StringIO(), record=True, width=160)
    show(console, *arguments)
    return console.export_text()
