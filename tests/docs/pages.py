"""The pages of the documentation as data: their blocks, headings, links and pieces of code.

A block that has a title is a file. Of the others `sh` and `python` are run, but for those below a comment
`<!-- not run: WHY -->`; those below `<!-- slow: WHY -->` are run with the slow tests only. A block
`text title="output"` is what the block above it prints.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))

_FENCE = re.compile(
    r"(?:^<!-- (?P<mark>not run|slow): (?P<why>[^\n]+) -->\n)?"
    r"^```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block; `mark` is "not run", "slow" or ""."""

    page: str
    line: int
    language: str
    title: str
    text: str
    mark: str

    @property
    def runs(self) -> bool:
        return not self.title and self.language in ("sh", "python") and self.mark != "not run"

    def __str__(self) -> str:
        return f"docs/{self.page}:{self.line}"


@cache
def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@cache
def blocks_of(page: str) -> tuple[Block, ...]:
    text = text_of(page)
    return tuple(
        Block(
            page,
            text[: match.start("language")].count("\n") + 1,
            match["language"],
            match["title"] or "",
            match["text"],
            match["mark"] or "",
        )
        for match in _FENCE.finditer(text)
    )


@cache
def prose_of(page: str) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```\w.*?^```$", "", text_of(page), flags=re.MULTILINE | re.DOTALL)


def anchors_of(page: str) -> set[str]:
    """The anchors of a page's headings, made as Python-Markdown makes them."""
    headings = re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)
    slugs: set[str] = set()
    for heading in headings:
        slug = re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())
        number = 1
        while (named := slug if number == 1 else f"{slug}_{number - 1}") in slugs:
            number += 1
        slugs.add(named)
    return slugs


def links_of(page: str) -> list[str]:
    """The targets of links and pictures."""
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]+`", "", prose_of(page)))


def codes_of(page: str) -> list[str]:
    """The pieces of code in running text."""
    return re.findall(r"`([^`\n]+)`", prose_of(page))
