"""Print the files of the product that a Gymnasium step, or an evaluated episode with its report, enters."""

import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
entered: set[str] = set()


def note(frame: FrameType, event: str, _argument: Any) -> None:
    if event == "call" and frame.f_code.co_name != "<module>":
        entered.add(frame.f_code.co_filename)


def profiled(what: str) -> None:
    """Run a step, or a whole evaluation, and note what it enters.

    Only a profile sees compiled functions; in an evaluation it would take a minute, a trace 20 s.
    """
    if what == "step":
        import gymnasium

        import arena  # noqa: F401

        env = gymnasium.make(
            "arena-llm/Arena-v0", config="01-01-01", observation=("camera", "rays", "vector")
        )
        env.reset(seed=1)
        sys.setprofile(note)
        env.step(1)
        sys.setprofile(None)
        return
    from arena_llm.__main__ import main

    sys.argv = ["arena-llm", "eval", "--model", "arena/pixels", "--tasks", "01-01-01"]
    with tempfile.TemporaryDirectory() as folder:
        sys.argv += ["--log-dir", folder]
        threading.settrace(note)
        sys.settrace(note)
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise
        finally:
            sys.settrace(None)
            threading.settrace(None)


stdout, sys.stdout = sys.stdout, sys.stderr
profiled(sys.argv[1])
product = {path for path in map(Path, entered) if path.is_relative_to(ROOT) and path.suffix == ".py"}
places = sorted(str(path.relative_to(ROOT)) for path in product)
print(*[p for p in places if not p.startswith((".venv", "tests"))], sep="\n", file=stdout)
