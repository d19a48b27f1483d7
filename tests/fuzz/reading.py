"""`python -m tests.fuzz.reading KIND SEED CASES FOLDER` reads mutated files of a kind, and counts.

The case at work stands in FOLDER, so that one that kills this process is known.
"""

import json
import random
import shutil
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

from arena import ACTIONS, ArenaError, Episode, Recording, load
from tests.arena.test_fuzz import FILES
from tests.fuzz.mutations import mutated

ROOT = Path(__file__).parents[2]
LONGEST_S = 10.0
"""Seconds of the processor, so that other work on the machine does not count."""

STEPS = 4


def read_task(path: Path) -> None:
    """Load, check and build a task file, and take a few steps in each of its first arenas."""
    from testbed.check import Options, check_file

    version = ("3.1.3", "4", "2")[path.stat().st_size % 3]
    check_file(path, Options(version=version))
    for arena_id, spec in list(load(path, version).arenas.items())[:3]:
        with Episode(spec, task_id=str(arena_id)) as episode:
            for action in ACTIONS[:: len(ACTIONS) // STEPS]:
                if not episode.done:
                    episode.step_all([action] * len(episode.agents))


def read_protocol(path: Path) -> None:
    from evaluation.choices.effective import load_preset
    from evaluation.suites import get_suite

    load_preset(get_suite("arena"), str(path))


def read_study(path: Path) -> None:
    from people.study.plan import load_plan

    load_plan(path)


def read_prompts(path: Path) -> None:
    from evaluation.prompts import with_folder
    from llm_control.prompts import arena_prompts

    with_folder(arena_prompts(), path.parent)


def read_log(path: Path) -> None:
    from evaluation.log.run import RunLog

    for _ in RunLog(path).episodes():
        pass


def prompt_files() -> list[Path]:
    return [
        *sorted((ROOT / "llm_control" / "prompts").glob("*.md"))[:6],
        _made("layout.yaml", "roles: user\n"),
    ]


def recordings() -> list[Path]:
    with Episode(load(FILES[0]).arenas[0], task_id="fuzz") as episode:
        for action in ACTIONS:
            episode.step(action)
        return [_made("recording.json", episode.recording().model_dump_json())]


def _made(name: str, text: str) -> Path:
    path = Path(mkdtemp()) / name
    path.write_text(text)
    return path


KINDS: dict[str, tuple[Callable[[Path], object], Callable[[], list[Path]]]] = {
    "tasks": (read_task, lambda: [*FILES[::25], *sorted((ROOT / "configs").glob("*.yaml"))]),
    "protocols": (read_protocol, lambda: sorted((ROOT / "llm_control" / "presets").glob("*.yaml"))),
    "studies": (read_study, lambda: [ROOT / "people" / "study" / "example.yaml"]),
    "prompts": (read_prompts, prompt_files),
    "logs": (read_log, lambda: sorted((ROOT / "tests" / "evaluation" / "logs").glob("*.eval"))),
    "recordings": (Recording.read, recordings),
}


def main(kind: str, seed: int, cases: int, folder: Path) -> None:
    read, sources = KINDS[kind]
    rng, files = random.Random(f"{kind} {seed}"), sources()
    counts: Counter[str] = Counter()
    slowest, failures = 0.0, []
    read(Path(shutil.copy(files[0], folder)))  # imports what it needs
    for number in range(cases):
        source = rng.choice(files)
        path = folder / source.name
        path.write_bytes(mutated(source.read_bytes(), rng))
        started = time.process_time()
        try:
            read(path)
            counts["accepted"] += 1
        except ArenaError as error:
            counts["refused"] += 1
            if not str(error).strip():
                failures.append(f"case {number} of {source.name}: an error without a word")
        except Exception:
            failures.append(f"case {number} of {source.name}: {traceback.format_exc()}")
            (folder / f"failure-{number}{source.suffix}").write_bytes(path.read_bytes())
        took = time.process_time() - started
        if took > LONGEST_S:
            failures.append(f"case {number} of {source.name}: {took:.1f} s")
            (folder / f"slow-{number}{source.suffix}").write_bytes(path.read_bytes())
        slowest = max(slowest, took)
        path.unlink()
    print(json.dumps({"cases": cases, **counts, "slowest": round(slowest, 2), "failures": failures}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
