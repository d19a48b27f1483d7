"""The reference agents of this suite, and what their scores depend on."""

from pathlib import Path

from evaluation.scale.references import FILE, Scale

# What passes and what does not is the same in all three variants of a task.
FIRST_VARIANTS = tuple(f"{level:02}-{task:02}-01" for level in range(1, 11) for task in range(1, 31))

SCALE = Scale(
    Path(__file__).with_name(FILE),
    scoring=1,
    agents={"random": "random", "ideal": "ideal"},
    matters=("animal_ai",),
    settings=({"initial_idle_steps": (), "tasks": FIRST_VARIANTS},),
)
