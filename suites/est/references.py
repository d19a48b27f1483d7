"""The reference agents of this suite, and what their scores depend on."""

from pathlib import Path

from evaluation.scale.references import FILE, Scale, by_kind
from suites.est.world import PRESETS

SCALE = Scale(
    Path(__file__).with_name(FILE),
    scoring=1,
    agents={"prior-only": "blind", "random": "random", "ideal": "ideal"},
    matters=("machine",),
    settings=tuple({"machine": machine, "episodes": 500} for machine in PRESETS),
    group=by_kind,
)
