"""`python -m docs._generate docs`: update the parts of the documentation that come from the code."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks import run
from docs._generate.blocks import BLOCKS
from docs._generate.markdown import PageError, filled


def reference(
    docs: Annotated[Path, typer.Argument(help="Folder with the pages.")],
    pictures: Annotated[bool, typer.Option("--pictures", help="Also redraw every object.")] = False,
) -> None:
    """Update the generated blocks of every page, and with --pictures the pictures of the objects."""
    pages = sorted(docs.glob("*.md"))
    if not pages:
        raise PageError(f"{docs}: no pages (*.md) in this folder; name the folder docs of a clone")
    for page in pages:
        text = page.read_text(encoding="utf-8")
        updated = filled(text, BLOCKS, str(page))
        if updated != text:
            page.write_text(updated, encoding="utf-8")
            print(f"written: {page}")
    if pictures:
        _draw(docs / "pictures")


def _draw(folder: Path) -> None:
    from docs._generate.pictures import encoded, pictures

    folder.mkdir(exist_ok=True)
    for name, frame in pictures():
        (folder / f"{name}.png").write_bytes(encoded(frame))


if __name__ == "__main__":
    run(reference, "reference")
