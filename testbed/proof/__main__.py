"""Make the shipped battery, or levels, again: `python -m testbed.proof 1-10`.

`python -m testbed.proof --again` keeps the files and renews the proofs that are no longer reproduced; `python
-m testbed.proof --test-tasks` draws the test tasks of the benchmark of learned policies.
"""

import shutil
import sys
from pathlib import Path

from rich.progress import track

from arena.processes import cores
from testbed import parse_levels
from testbed.benchmark import FILE
from testbed.blueprints import FOLDERS
from testbed.proof.demands import write_table
from testbed.proof.prove import make, prove_again, shipped, write_test_tasks
from testbed.tasks import ALL_NAMES, LABORATORY_FOLDER, LEVEL_NAMES, LEVELS_FOLDER, find_tasks


def main() -> None:
    """Replace the named levels, renew recordings, or draw the test tasks."""
    if sys.argv[1:] == ["--test-tasks"]:
        write_test_tasks(LEVELS_FOLDER.parent / FILE, list(ALL_NAMES), cores())
        return
    if sys.argv[1:] == ["--again"]:
        for renewed in prove_again(find_tasks(), LEVELS_FOLDER, cores()):
            print(renewed, flush=True)
    else:
        _make(sys.argv[1] if len(sys.argv) > 1 else "1-10")
    write_table(LEVELS_FOLDER, cores())


def _make(chosen_levels: str) -> None:
    levels = parse_levels(chosen_levels)
    for level in levels:
        shutil.rmtree(_folder(level) / FOLDERS[level], ignore_errors=True)
    orders = shipped(levels)
    for level in levels:
        chosen = [order for order in orders if order.draw.level == level]
        for _ in track(make(chosen, _folder(level), cores()), f"level {level}", total=len(chosen)):
            pass


def _folder(level: int) -> Path:
    return LEVELS_FOLDER if level in LEVEL_NAMES else LABORATORY_FOLDER


if __name__ == "__main__":
    main()
