"""Test one part: `python -m arena_llm.doctor_probe drawing|names|physics` prints a line of JSON.

It is a process of its own because a broken package may crash it.
"""

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

TASK = Path(__file__).with_name("doctor.yaml")
"""An arena with a wall and blocks in front of the agent."""

SIDE = 84
DIGEST = "3c39c4d8033fde4c908ca50089fe76581c5e285af5a281dd14d042385ba60ea5"
"""SHA-256 of the picture's bytes, which are the same on every machine."""

STEPS = 60


def drawing() -> dict[str, Any]:
    """Draw a frame twice, and find its fault ("" if it has none)."""
    from arena import Episode, load
    from render import Renderer

    renderer = Renderer(SIDE, SIDE)
    with Episode(load(TASK).arenas[0], task_id="doctor") as episode:
        first, second = (renderer.frame(episode.scene()) for _ in range(2))
    return {"fault": fault_of(first, second)}


def names() -> dict[str, Any]:
    """Find removed or replaced files, and other owners of our packages."""
    from arena.packages import changed, hidden, shared

    files = [*changed()]
    fault = f"{len(files)} installed files are missing or replaced, such as {files[0]}" if files else ""
    others = [f"{package}: also in {', '.join(found)}" for package, found in shared().items()]
    return {"fault": hidden() or fault, "shared": "; ".join(others)}


def physics() -> dict[str, Any]:
    """Play steps twice, and find their fault ("" if they have none)."""
    first, second = _played(), _played()
    return {"fault": "" if first == second else "the same steps gave different bits in two runs"}


def fault_of(first: Any, second: Any) -> str:
    """Find the fault of two pictures (height, width, 3) of the same moment; "" if they have none."""
    if first.min() == first.max():
        return f"the picture is the same everywhere (all {first.min()})"
    if not (first == second).all():
        return "the same scene gave two different pictures"
    found = hashlib.sha256(first.tobytes()).hexdigest()
    other = f"other machines draw other bytes (got {found[:16]}, expected {DIGEST[:16]})"
    return "" if found == DIGEST else other


def _played() -> str:
    """Fingerprint a short episode: the bits of all poses after each step."""
    import numpy as np

    from arena import ACTIONS, Episode, load

    bits = hashlib.sha256()
    with Episode(load(TASK).arenas[0], task_id="doctor") as episode:
        for action in np.random.default_rng(0).integers(len(ACTIONS), size=STEPS):
            # Mostly forward, so that blocks are pushed.
            episode.step(ACTIONS[3 if action % 2 else action])
            scene = episode.scene()
            bits.update(scene.positions.tobytes() + scene.rotations.tobytes())
            bits.update(np.array([*episode.position, episode.yaw, episode.total_reward]).tobytes())
    return bits.hexdigest()


PROBES: dict[str, Callable[[], dict[str, Any]]] = {"drawing": drawing, "names": names, "physics": physics}


def main() -> None:
    """Print the findings; if the probe fails, `fault` says why and `import` whether an import failed."""
    try:
        found = PROBES[sys.argv[1]]()
    except Exception as error:  # whatever is broken is the finding
        first = (str(error).splitlines() or [""])[0]
        ours = any(kind.__name__ == "ArenaError" for kind in type(error).__mro__)
        found = {
            "fault": first if ours else f"{type(error).__name__}: {first}",
            "import": isinstance(error, ImportError),
        }
    print("\n" + json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
