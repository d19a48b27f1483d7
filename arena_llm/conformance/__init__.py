"""Results of the checks, what they must reach, and the page that shows them."""

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import NamedTuple

NOT_RUN = "not run: "

CHECKS: Mapping[str, tuple[float | None, str]] = {
    "end-to-end tests": (0.8, "3 of 15 compare numbers as text, which PhysX computes in single precision"),
    "end-to-end tests of pictures": (None, "they ask for equal bytes; the checks of pictures judge these"),
    "pictures: class": (1.0, "98 % of the pixels of each must show the same class"),
    "pictures: near": (0.9, "90 % of the pixels must be within 24 levels; random colours may differ"),
    "pictures: silhouette": (0.9, "outlines must overlap by 0.9; a growing ball may be a tick apart"),
    "recordings": (1.0, "each column must agree in every tick of the first episode"),
    "recordings, later episodes": (None, "in Unity they begin within a decision, on the ground"),
    "transcripts: health": (1.0, "it is recorded with one decimal, which an exact replay has"),
    "transcripts: pictures": (1.0, "95 % of the pixels of each must show the same class"),
    "episodes of LLM-AAI": (1.0, "all requests must be equal: messages, pictures, parameters"),
    "tests of animalai": (0.6, "here nothing is downloaded and each call returns a new dictionary"),
    "tests of LLM scaffolds": (0.8, "each must end as with the original's own scaffolds"),
    "example scripts": (0.5, "some wait for Unity's window, or expect Gym's four values of a step"),
    "task files": (0.99, "a few that were published are broken, or name what does not exist"),
}
"""The least share that must agree, None for a check that is not judged, and why; in the order of the page."""

KNOWN = (
    ("CSV comparison failed", "numbers are compared as text, but PhysX computes in single precision"),
    ("(?s)screenshot.*Arrays are not", "equal bytes are asked for, but textures and shapes are our own"),
    ("unknown (object|key)", "this version has none; the original leaves that out, as --lenient does"),
    ("not valid YAML", "the file is broken"),
    (r"animalai\.download", "there is no program to download"),
    ("has no attribute 'name'", "the test's own environment does not name its observations"),
    ("test_keeps_updating", "each call returns a new dictionary"),
    ("'_process'", "there is no Unity process to wait for"),
    ("values to unpack", "a step returns Gymnasium's five values, not Gym's four"),
    (r"^(Grow|Ripen|Shrink|Decay)Goal", "a ball that changes may be a tick earlier or later"),
    ("episode (?!1,)", "in Unity it begins within a decision, on the ground"),
)
"""Reasons that are known, each with a pattern of the differences that it explains."""

_SHOWN, _WIDTH = 5, 220


class Result(NamedTuple):
    """What a check found in a folder, for a version of Animal-AI.

    `problems` has all that was compared by its name, with nothing, what differs, or `NOT_RUN` and why. `note`
    says how it was compared.
    """

    check: str
    version: str
    source: str
    problems: Mapping[str, str]
    note: str = ""

    @property
    def counts(self) -> tuple[int, int]:
        """How many agree, of how many."""
        judged = [text for text in self.problems.values() if not text.startswith(NOT_RUN)]
        return judged.count(""), len(judged)

    @property
    def verdict(self) -> str:
        """`reached`, `missed`, `not judged` or `not run`; of nothing, nothing can agree."""
        share, (agreeing, of) = CHECKS[self.check][0], self.counts
        judged = "not judged" if share is None else "reached" if agreeing >= share * of else "missed"
        return judged if of else "not run"

    def differences(self) -> list[str]:
        """A line for each difference, with its reason if that is known."""
        found = [f"{name}: {text}" for name, text in self.problems.items() if text]
        reasons = (
            "; ".join(reason for pattern, reason in KNOWN if re.search(pattern, each)) for each in found
        )
        lines = (" ".join(each.split()).replace("`", "'")[:_WIDTH] for each in found)
        return [f"`{line}` {reason}".rstrip() for line, reason in zip(lines, reasons, strict=True)]


def page(results: Sequence[Result]) -> str:
    """The page in Markdown: a table, then each result with how it was compared, what differs and why."""
    lines = [f"# Conformance of arena-llm {version('arena-llm')}", ""]
    lines += ["| check | version | agree | threshold | result |", "|---|---|---|---|---|"]
    for each in results:
        cells = (
            each.check,
            each.version,
            "{} of {}".format(*each.counts),
            CHECKS[each.check][0],
            each.verdict,
        )
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    for each in results:
        differences = each.differences()
        lines += ["", f"## {each.check}, version {each.version}: {each.verdict}", "", each.source, ""]
        lines += [f"- {text}" for text in (CHECKS[each.check][1], each.note, *differences[:_SHOWN]) if text]
        lines += [f"- and {len(differences) - _SHOWN} more"] * (len(differences) > _SHOWN)
    return "\n".join(lines) + "\n"
