"""A run as a file to submit: the run card, every trial's result, and the rates that follow from them."""

from evaluation.submission.file import read_submission, submission, write_submission
from evaluation.submission.model import OVERALL, GroupRate, Submission, Submitter, Trial, recomputed, schema

__all__ = [
    "OVERALL",
    "GroupRate",
    "Submission",
    "Submitter",
    "Trial",
    "read_submission",
    "recomputed",
    "schema",
    "submission",
    "write_submission",
]
