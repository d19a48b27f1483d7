"""Speed on this machine beside other programs: `python -m benchmarks`, from a clone."""

import sys

import typer

from arena.errors import ArenaError
from benchmarks.command import bench_command


def main() -> None:
    """Run the benchmarks; an error that the user can fix is one sentence and exit status 1."""
    try:
        typer.run(bench_command)
    except ArenaError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
