"""`python -m docs._generate docs`: update the parts of the documentation that come from the code."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks import run
from docs._generate import PageError, filled
from docs._generate.blocks import BLOCKS


def reference(
    docs: Annotated[Path, typer.Argument(help="Folder with the pages.")],
    pictures: Annotated[bool, typer.Option("--pictures", help="Also redraw objects and films.")] = False,
) -> None:
    """Update the generated blocks of every page, and with --pictures the pictures of objects and films."""
    pages = [*sorted(docs.rglob("*.md")), *docs.resolve().parent.glob("README.md")]
    if not pages:
        raise PageError(f"{docs}: no pages (*.md) in this folder; name the folder docs of a clone")
    for page in pages:
        text = page.read_text(encoding="utf-8")
        updated = filled(text, BLOCKS, str(page))
        if updated != text:
            page.write_text(updated, encoding="utf-8")
            print(f"written: {page}")
    if pictures:
        _draw(docs)


def _draw(docs: Path) -> None:
    from docs._generate.pictures import animated, encoded, films, pictures

    (docs / "pictures").mkdir(exist_ok=True)
    for name, frame in pictures():
        (docs / "pictures" / f"{name}.png").write_bytes(encoded(frame))
    for name, frames in films():
        (docs / "figures" / f"{name}.webp").write_bytes(animated(frames))


if __name__ == "__main__":
    run(reference, "reference")
