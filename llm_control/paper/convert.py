"""The paper's public material as folders of prompts and a demonstration."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from arena.errors import ConfigError
from arena.files import check_output_folder
from evaluation.prompts.folder import write_folder
from llm_control.paper import PAPER
from llm_control.paper.example import write_example
from llm_control.paper.ingredients import Ingredients
from llm_control.paper.material import frame_by_frame_ingredients, material_example, material_ingredients
from llm_control.paper.program import program_example, program_ingredients

SENT = f"{PAPER}, as its program sends them"
PRINTED = f"{PAPER}, as its supporting material prints them"

EXPERIMENTS, FRAME_BY_FRAME = "experiments", "frame-by-frame"

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Converted:
    """What was written: folders of prompts, the demonstration if there is one, and what is missing."""

    folders: tuple[Path, ...]
    demonstration: Path | None
    notes: tuple[str, ...]


def convert(sources: Sequence[Path], out: Path) -> Converted:
    """Write the paper's texts, from checkouts of its program and of its supporting material, to a new folder.

    What both have is taken from the program, whose texts are those that were sent. Raises ConfigError if
    neither is among the sources, and for what cannot be read or written.
    """
    for source in sources:
        if not source.is_dir():
            raise ConfigError(f"{source}: no such folder; give a checkout of the paper's public material")
    program, printed = _first(program_ingredients, sources), _first(material_ingredients, sources)
    moves = _first(frame_by_frame_ingredients, sources)
    whole = replace(program, source=SENT) if program else printed and replace(printed, source=PRINTED)
    if whole is None and moves is None:
        raise ConfigError(
            f"{', '.join(map(str, sources))}: found neither src/definitions/prompts/prompts.py of LLM-AAI "
            "nor experiment_1/prompt.md of llm-aai-supporting-materials; give the top folder of a checkout"
        )
    return _written(whole, moves and replace(moves, source=PRINTED).completed(program), sources, out)


def _written(
    whole: Ingredients | None, moves: Ingredients | None, sources: Sequence[Path], out: Path
) -> Converted:
    check_output_folder(out)
    notes: list[str] = []
    folders = []
    for name, found in ((EXPERIMENTS, whole), (FRAME_BY_FRAME, moves)):
        if found is None:
            notes.append(f"{name}: its texts are not in this material")
            continue
        if not found.health:
            raise ConfigError(f"{name}: the material has no line with the health; give LLM-AAI too")
        write_folder(found.prompts(), out / name)
        folders.append(out / name)
        if not found.invalid:
            notes.append(f"{name}: what follows a wrong reply is arena-llm's own; LLM-AAI has the paper's")
    example = whole and (_first(program_example, sources) or _first(material_example, sources))
    if whole and not example:
        notes.append("demonstration: the example is not in this material")
    if example and whole and not whole.intro:
        notes.append("demonstration: the sentence before it is arena-llm's own; LLM-AAI has the paper's")
    written = write_example(example, out / EXPERIMENTS) if example else None
    return Converted(tuple(folders), written, tuple(notes))


def _first(read: Callable[[Path], Found | None], sources: Sequence[Path]) -> Found | None:
    """What the first of the sources has that has it."""
    return next((found for source in sources if (found := read(source)) is not None), None)
