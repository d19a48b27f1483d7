"""What a verification found, as values."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What came of an episode's verification."""

    AGREES = "agrees"
    DIFFERS = "differs"
    OTHER_SOFTWARE = "differs, as made with other software"
    """Other versions compute other bits; whether the log was changed as well cannot be known."""
    UNFINISHED = "not finished"
    """The log has no recording of it: it failed or was stopped, which the log says."""
    UNVERIFIED = "could not be verified"


@dataclass(frozen=True, slots=True)
class Finding:
    """One value that is not what the replay gives.

    `turn` counts from 1, None for the whole episode; `logged` and `replayed` are plain values.
    """

    turn: int | None
    what: str
    logged: object
    replayed: object


@dataclass(frozen=True, slots=True)
class Checked:
    """A verified episode: its source, what was compared, and what differs.

    `versions` names the software that is not the log's; `notes` what a reader should know besides;
    `requests` counts the replies for which it was compared what the model was sent. `place` is the
    episode's in its conversation, from 1. `passed` is the replay's verdict, `scored` says whether
    Inspect counts one, `missing` that it counts as failed without one. `problem` says why an episode has no
    verification.
    """

    source: str
    task_id: str
    trial: int
    turns: int = 0
    steps: int = 0
    pictures: int = 0
    requests: int = 0
    place: int | None = None
    passed: bool | None = None
    findings: tuple[Finding, ...] = ()
    versions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str | None = None
    finished: bool = True
    scored: bool = False
    missing: bool = False

    @property
    def verdict(self) -> Verdict:
        """Whether all agrees, and if not, what is known of the reason."""
        if not self.finished:
            return Verdict.UNFINISHED
        if self.problem:
            return Verdict.UNVERIFIED
        if not self.findings:
            return Verdict.AGREES
        return Verdict.OTHER_SOFTWARE if self.versions else Verdict.DIFFERS

    @property
    def name(self) -> str:
        """Task and trial, for people."""
        return f"{self.task_id}, trial {self.trial}" if self.trial else self.task_id
