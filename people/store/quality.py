"""Display and control quality of trials, from stretches of play and events."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from statistics import median, quantiles
from typing import Any

from sqlalchemy import distinct, func, select

from people.store.store import Store
from people.store.tables import Note, Participant, Stretch, Trial, grouped

MIN_FRAMES_PER_S, MAX_AGE_MS = 10.0, 150.0
"""Limits below and above which a stretch of play is poor. They are displayed images per second, and their
median age: nine steps of 0.06 s in which a decision cannot have any visible effect. Both are ours."""

MIN_STRETCH_S = 2.0
"""Shorter stretches are not judged: they have too few images."""

POOR = {"frames_per_s": MIN_FRAMES_PER_S, "age_ms": MAX_AGE_MS, "seconds": MIN_STRETCH_S}
"""Codebook's sentence on a poor picture."""

START, PAUSE = "start", "pause"
LOST = ("disconnected", "connection", "reconnected")
"""Reasons of pauses that are disconnections."""


def quality_of_trials(store: Store, study: str, person: int | None = None) -> dict[int, dict[str, Any]]:
    """Return the `columns.QUALITY` of key-played trials, by trial and name. They are those of a study or one
    of its participants. Unknown values, as in data of version 0.2, are missing or None."""
    whose = Participant.study == study if person is None else Participant.id == person
    in_study = select(Stretch).join(Trial).join(Participant).where(whose)
    chosen = select(Note).join(Participant).where(whose, Note.kind.in_((START, PAUSE)))
    with store.database.reading() as session:
        stretches = grouped(session.scalars(in_study.order_by(Stretch.began_at)), lambda row: row.trial_id)
        notes = grouped(session.scalars(chosen.order_by(Note.at, Note.key)), lambda note: note.data["trial"])
    trials = sorted(stretches.keys() | notes.keys())
    return {
        trial: _displayed(stretches[trial]) | _pauses(notes[trial]) | _page(notes[trial]) for trial in trials
    }


def poor_trials(store: Store, people: Collection[int]) -> dict[int, int]:
    """Return the numbers of trials with a poor picture, by participant id. Those without any are left out."""
    poor = (Stretch.frames < MIN_FRAMES_PER_S * Stretch.seconds) | (Stretch.age_ms > MAX_AGE_MS)
    counted = (
        select(Trial.participant_id, func.count(distinct(Trial.id)))
        .join(Stretch, Stretch.trial_id == Trial.id)
        .where(Trial.participant_id.in_(people), Stretch.seconds >= MIN_STRETCH_S, poor)
        .group_by(Trial.participant_id)
    )
    with store.database.reading() as session:
        return {person: count for person, count in session.execute(counted)}


def is_poor(stretch: Stretch) -> bool:
    """Return whether a stretch had too few images, or too late ones. As in `poor_trials`."""
    slow = stretch.frames < MIN_FRAMES_PER_S * stretch.seconds
    late = stretch.age_ms is not None and stretch.age_ms > MAX_AGE_MS
    return stretch.seconds >= MIN_STRETCH_S and (slow or late)


def _displayed(stretches: Sequence[Stretch]) -> dict[str, Any]:
    if not stretches:
        return {}
    ages = [age for each in stretches for age in each.ages_ms]
    seconds = sum(each.seconds for each in stretches)
    return {
        "frames_per_s": round(len(ages) / seconds, 2) if seconds else None,
        "frame_age_ms": float(median(ages)) if ages else None,
        "frame_age_p95_ms": quantiles(ages, n=20, method="inclusive")[-1] if len(ages) > 1 else None,
        "quality_level": max(each.quality_level for each in stretches),
        "late_steps": sum(each.late_steps for each in stretches),
        "poor_picture": any(map(is_poor, stretches)),
    }


def _pauses(notes: Sequence[Note]) -> dict[str, Any]:
    """Pauses last until play continues. One that was not continued has no length."""
    pauses = [note for note in notes if note.kind == PAUSE]
    lengths = [
        after.at - before.at
        for before, after in pairwise(notes)
        if (before.kind, after.kind) == (PAUSE, START)
    ]
    return {
        "pauses": len(pauses),
        "paused_s": round(sum(lengths), 3),
        "longest_pause_s": round(max(lengths, default=0.0), 3),
        "disconnections": sum(note.data.get("reason") in LOST for note in pauses),
    }


def _page(notes: Sequence[Note]) -> dict[str, Any]:
    """Return the page as it was when play last began or continued."""
    start = next((note.data for note in reversed(notes) if note.kind == START), {})
    viewport = start.get("viewport")
    return {
        "input": start.get("input"),
        "device": start.get("device"),
        "viewport": f"{viewport[0]}x{viewport[1]}" if viewport else None,
        "pixel_ratio": start.get("pixel_ratio"),
        "picture_px": start.get("picture"),
    }
