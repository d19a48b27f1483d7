"""The reference agents of this suite, and what their scores depend on."""

from pathlib import Path

from evaluation.scale.references import FILE, Scale, by_kind
from suites.boxing.suite import SCORING

SCALE = Scale(
    Path(__file__).with_name(FILE),
    scoring=SCORING,
    agents={"prior-only": "prior-only", "random": "random", "ideal": "ideal"},
    matters=("mode", "experiments", "questions"),
    settings=({"seeds": 5, "ask": "together"},),
    group=by_kind,
)
