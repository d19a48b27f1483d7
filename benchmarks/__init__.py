"""How fast arenas are built, simulated and drawn on this machine, beside other programs."""

from benchmarks.benchmark import Figures, Plan, measure, print_figures
from benchmarks.machine import machine_facts
from benchmarks.measure import FULL, QUICK, Effort, Subject
from benchmarks.parts import PARTS, Part
from benchmarks.result import Result, Timing
from benchmarks.run import measure_part
from benchmarks.tasks import Selection, select_tasks

__all__ = [
    "FULL",
    "PARTS",
    "QUICK",
    "Effort",
    "Figures",
    "Part",
    "Plan",
    "Result",
    "Selection",
    "Subject",
    "Timing",
    "machine_facts",
    "measure",
    "measure_part",
    "print_figures",
    "select_tasks",
]
