"""The texts of the game page; a study may replace each by another wording or language."""

from pathlib import Path

FULL = "Too many people are playing right now. Please try again later."
START_AGAIN = "Please start again from the first page."
DELETED = "Your data have been deleted, as requested."
AWAY = "You were away for a while, and others were waiting to play."
TOO_OFTEN = "Too many requests came from your network. Please try again in a minute."

_OF_THE_PAGE = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()

PAGE_TEXTS = (*_OF_THE_PAGE, FULL, START_AGAIN, DELETED, AWAY, TOO_OFTEN)
"""The English texts; `{...}` stands for numbers."""
