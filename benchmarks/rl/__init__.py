"""Speed as people who train count it: steps of learning environments, one and many, resets and memory."""

from benchmarks.rl.effort import FULL_RL, QUICK_RL, RlEffort
from benchmarks.rl.figure import Figure
from benchmarks.rl.measure import RlFigures, RlPlan, measure_rl, rl_advances
from benchmarks.rl.report import figure_dicts, print_rl

__all__ = [
    "FULL_RL",
    "QUICK_RL",
    "Figure",
    "RlEffort",
    "RlFigures",
    "RlPlan",
    "figure_dicts",
    "measure_rl",
    "print_rl",
    "rl_advances",
]
