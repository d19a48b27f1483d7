"""The paper's texts and example from a checkout of its supporting material, as they are printed there."""

import re
from collections.abc import Iterator
from pathlib import Path

from arena.errors import ConfigError
from arena.files import MAX_DATA_BYTES, read_bytes, read_text
from llm_control.paper.example import Example, ExampleTurn
from llm_control.paper.ingredients import Ingredients, template

EXPERIMENT_1 = ("experiment_1/prompt.md", "prompt-experiment1.md")
EXPERIMENT_2 = ("experiment_2/prompt.md", "prompt-experiment2.md")
FRAME_BY_FRAME = ("exploratory_experiments/frame_by_frame/prompt.md",)

HEALTH = (
    *(99.9, 96.9, 96.7, 96.4, 96.1, 95.6, 94.7, 94.1, 93.2, 92.6, 91.7, 91.2, 90.3, 89.7),
    *(88.8, 88.4, 87.5, 87.2, 100.0, 99.1, 99.9, 99.5, 99.3, 98.9, 98.6, 97.7, 97.3, 97.1),
    *(97.0, 96.1, 95.9, 95.8, 95.7, 95.5, 94.3, 94.0, 93.1, 92.6, 91.7, 90.5, 89.6, 89.3),
)
"""The health shown before each of the example's 42 scripts, which the material leaves out.

From the recording of the example in LLM-AAI (`data/tutorial_video`).
"""

_BEGINS = "You are a PLAYER"
_OFF = "Ready to play?"
_OBSERVED = re.compile(r"Environment observation captured:?")
_HEALTH = re.compile(r"^(ENVIRONMENT:.*?)\d+(?:\.\d+)?(\.?) *$", re.MULTILINE)
_PICTURE = re.compile(r"!\[[^\]]*\]\((?P<path>[^)]+)\)")
_SCRIPT = re.compile(r"(?:assistant: *)?(?P<script>(?:Think|Go|Turn)\(.*)")


def material_ingredients(root: Path) -> Ingredients | None:
    """The texts of Experiment 1; None if the folder does not have them. Raises ConfigError."""
    path = _first_of(root, EXPERIMENT_1)
    return _prompt(root, path) if path is not None else None


def frame_by_frame_ingredients(root: Path) -> Ingredients | None:
    """The texts of the frame-by-frame experiment; None if the folder does not have them."""
    path = _first_of(root, FRAME_BY_FRAME)
    return _prompt(root, path) if path is not None else None


def material_example(root: Path) -> Example | None:
    """The example of Experiment 2; None if the folder does not have it whole. Raises ConfigError."""
    for name in EXPERIMENT_2:
        path = root / name
        found = list(_turns(root, path)) if path.is_file() else []
        # An earlier version of the material shows the first turns only.
        if len(found) == len(HEALTH):
            (_, first), *later = found
            pictures = [*(pictures for _, pictures in later), ()]
            healths = [*HEALTH[1:], None]
            scripts = [script for script, _ in found]
            turns = map(ExampleTurn, scripts, pictures, healths)
            return Example(first, HEALTH[0], tuple(turns))
    return None


def _first_of(root: Path, names: tuple[str, ...]) -> Path | None:
    return next((root / name for name in names if (root / name).is_file()), None)


def _prompt(root: Path, path: Path) -> Ingredients:
    text = _plain(_page(path))
    begin, off = text.find(_BEGINS), text.rfind(_OFF)
    observed = _OBSERVED.search(text, off)
    if begin < 0 or off < begin or observed is None:
        raise ConfigError(
            f"{path}: expected a text from {_BEGINS!r} to {_OFF!r} and the first observation; give a "
            "checkout of github.com/tpYu0/llm-aai-supporting-materials"
        )
    return Ingredients(
        background=template(text[begin:off].rstrip()) + "\n",
        send_off=template(text[off : observed.start()].rstrip()) + "\n",
        label=observed[0].rstrip(":") + ":",
        health=_health(root),
    )


def _page(path: Path) -> str:
    return read_text(path).replace("\r\n", "\n")


def _plain(text: str) -> str:
    """Printed text without what only Markdown needs: escapes, and blanks at the ends of lines."""
    text = text.replace("\\'", "'").replace("\\n\n", "\n")
    return "\n".join(line.rstrip() for line in text.splitlines())


def _health(root: Path) -> str:
    """The line with the health, from whichever page shows it; empty if none does."""
    for name in (*FRAME_BY_FRAME, *EXPERIMENT_2):
        found = _HEALTH.search(_page(root / name)) if (root / name).is_file() else None
        if found:
            return f"{template(found[1])}$health{found[2]}"
    return ""


def _turns(root: Path, path: Path) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    """Each script of a page with the pictures before it."""
    pictures: list[bytes] = []
    for number, line in enumerate(_page(path).splitlines(), start=1):
        if (shown := _PICTURE.search(line)) is not None:
            pictures.append(_read_picture(root, path, shown["path"], number))
        elif (said := _SCRIPT.fullmatch(line.strip())) is not None:
            yield said["script"], tuple(pictures)
            pictures = []


def _read_picture(root: Path, page: Path, name: str, line: int) -> bytes:
    """A picture that a page shows; the newest pages name some that lie beside an older one."""
    places = [root / name, page.parent / name]
    places += [folder / Path(name).name for folder in sorted(root.glob("*experiment*2*images"))]
    places += sorted(root.glob(f"experiment_2/*/{Path(name).name}"))
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise ConfigError(f"{page}:{line}: picture {name}: no such file; give a whole checkout")
    return read_bytes(found, MAX_DATA_BYTES)
