"""Which command a reply gives."""

import re

_LABEL = re.compile(r"(?:next\s+)?(?:action|command)\s*\d*\s*[:：]\s*(?P<command>.*)", re.IGNORECASE)
_MARKS = " \t*_`>\"'“”"

LONGEST = 200
"""Characters of a command; the longest one that does anything has about 100."""


def command_of(reply: str) -> str:
    """The command of a reply: behind the last label `Action:` or `Command:`, otherwise the last line.

    Quotation marks, Markdown and a full stop around it are taken off. Empty if there is none.
    """
    lines = [stripped for line in reply.splitlines() if (stripped := line.strip(_MARKS))]
    labelled = [found["command"] for line in lines if (found := _LABEL.fullmatch(line))]
    # A label alone has its command in the next line, which is the last unless a remark follows.
    last = next((each for each in reversed(labelled) if each.strip(_MARKS)), lines[-1] if lines else "")
    return last.strip(_MARKS).rstrip(".").rstrip(_MARKS)[:LONGEST]
