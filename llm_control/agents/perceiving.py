"""The questions of a perception probe, and how the offline agents answer them."""

from dataclasses import dataclass

import numpy as np

from llm_control.agents.pixels import GREEN, YELLOW, blobs
from render import Frame

DISTANCE_BINS = {"near": (2.0, 5.0), "middle": (7.0, 11.0), "far": (14.0, 20.0)}
"""Distances in metres by answer, with gaps between them, so that no answer is a matter of centimetres."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question: its text, and the answers there are."""

    question: str
    answers: tuple[str, ...]


KINDS = {
    "side": Kind("Is the green ball left or right of the middle of the image?", ("left", "right")),
    "distance": Kind(
        "How far away is the green ball, which is one metre across? near: less than 6 metres; middle: 6 to "
        "12 metres; far: more than 12 metres.",
        tuple(DISTANCE_BINS),
    ),
    "count": Kind("How many balls are in the image?", ("0", "1", "2", "3", "4")),
    "nearer": Kind(
        "Two balls, one green and one yellow, are of the same size. Which is nearer?", ("green", "yellow")
    ),
}
"""The kinds of questions by name."""

ASKED = "Answer with one word and nothing else. Possible answers: "


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
