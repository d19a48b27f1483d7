"""The reference agents of this suite, and what their scores depend on."""

from pathlib import Path

from evaluation.scale.references import FILE, Scale, by_kind

SCALE = Scale(
    Path(__file__).with_name(FILE),
    scoring=1,
    agents={"random": "random", "ideal": "ideal"},
    matters=("steps", "teleport"),
    settings=({"seeds": "0-1"},),
    group=by_kind,
)
