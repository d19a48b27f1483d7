"""What learning algorithms reach on the levels: `python -m benchmarks.learners`, from a clone."""

from pathlib import Path
from typing import NamedTuple

RESULT, EPISODES, POLICY = "result.json", "episodes.csv", "policy.zip"


class Run(NamedTuple):
    """What is learned by what, with which seed."""

    algorithm: str
    level: int
    seed: int

    def folder(self, out: Path) -> Path:
        """Where its policy, episodes and result are."""
        return out / f"{self.algorithm.replace(' ', '-')}-level{self.level}-seed{self.seed}"
