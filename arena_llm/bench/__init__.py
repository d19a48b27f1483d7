"""How fast arenas are built, simulated and drawn on this machine, beside other programs."""

from arena_llm.bench.benchmark import Figures, Plan, measure, print_figures
from arena_llm.bench.machine import machine_facts
from arena_llm.bench.measure import FULL, QUICK, Effort, Subject
from arena_llm.bench.parts import PARTS, Part
from arena_llm.bench.result import Result, Timing
from arena_llm.bench.run import measure_part
from arena_llm.bench.tasks import Selection, select_tasks

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
