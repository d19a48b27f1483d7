"""How the offline agents answer a perception probe."""

import numpy as np

from llm_control.agents.pixels import GREEN, YELLOW, blobs
from llm_control.probes import ASKED, KINDS
from render import Frame


def asked_kind(text: str) -> str | None:
    """The kind of probe that a message asks; None for any other message."""
    kinds = [name for name, kind in KINDS.items() if kind.question in text and ASKED in text]
    return kinds[0] if kinds else None


def guess(kind: str, rng: np.random.Generator) -> str:
    """One of the answers at random."""
    answers = KINDS[kind].answers
    return answers[int(rng.integers(len(answers)))]


def perceive(kind: str, frame: Frame, rng: np.random.Generator) -> str:
    """The answer from the picture's balls, as `arena/pixels` finds them; a guess where it sees none."""
    green, yellow = blobs(frame, GREEN), blobs(frame, YELLOW)
    if kind == "count":
        return str(min(len(green) + len(yellow), 4))
    if not green or (kind == "nearer" and not yellow):
        return guess(kind, rng)
    if kind == "side":
        return "right" if green[0].bearing > 0 else "left"
    if kind == "nearer":
        return "green" if green[0].distance < yellow[0].distance else "yellow"
    return "near" if green[0].distance < 6 else "middle" if green[0].distance < 12 else "far"
