"""Speed on this machine beside other programs: `python -m benchmarks`, from a clone."""

from benchmarks import run
from benchmarks.command import bench_command

if __name__ == "__main__":
    run(bench_command, "benchmarks")
