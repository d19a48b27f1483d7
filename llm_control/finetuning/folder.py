"""A data set's folder: written line by line, continued after whatever stopped it, never half a line.

    train.jsonl      one example per line, in a provider's format
    examples.jsonl   one line per example: what it comes from (arena, distance, kind)
    images/          the pictures, for formats that do not hold them in the line
    manifest.json    arguments, hash of the prompts, versions, counts

While examples are missing, the first two end in `.part`.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import IO, Any, NamedTuple

from arena.errors import EvaluationError
from arena.recording import software_versions
from llm_control.finetuning.example import make_example
from llm_control.finetuning.formats import Format, as_line, exchange
from llm_control.prompts import PromptSet
from render.context import drawn_by

MANIFEST, LINES, FACTS = "manifest.json", "train.jsonl", "examples.jsonl"


class Plan(NamedTuple):
    """What a data set is made of; two of the same plan have the same bytes.

    `prompts` are the texts, of which the manifest keeps the hash; `image_uri` is where the provider finds the
    folder.
    """

    size: int
    seed: int
    format: Format
    prompts: PromptSet
    image_uri: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for the manifest."""
        return {
            "size": self.size,
            "seed": self.seed,
            "format": str(self.format),
            "image_uri": self.image_uri,
            "prompts_sha256": self.prompts.sha256,
            "system_prompt_sha256": self.prompts.system.sha256,
        }


class Written(NamedTuple):
    """One example as the folder holds it."""

    line: str
    facts: str
    file: str | None
    picture: bytes


def write_example(index: int, plan: Plan) -> Written:
    """Make an example of a plan; the same bytes in every process on the same machine."""
    example = make_example(plan.seed, index)
    said = exchange(example, plan.prompts)
    facts = {
        "index": index,
        "kind": str(example.kind),
        "goal": example.goal,
        "distance_m": example.distance,
        "bearing_deg": example.bearing,
        "steps": example.steps,
        "health": example.health,
        "reply": example.reply,
        "task_id": example.task_id,
        "seed": example.seed,
        "image_sha256": hashlib.sha256(said.picture).hexdigest(),
        "arena": example.spec.model_dump(mode="json", exclude_defaults=True),
    }
    file = said.file if plan.format.has_files else None
    return Written(as_line(said, plan.format, plan.image_uri), json.dumps(facts), file, said.picture)


def begin(folder: Path, plan: Plan) -> int:
    """Make the folder ready for a plan, and say how many examples are in it.

    What was cut off in the middle is removed. Raises EvaluationError where the folder has something else,
    was begun with another plan or by other software, or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / MANIFEST).exists():
            _same_plan(folder, plan)
        elif any(path.name != f"{MANIFEST}.part" for path in folder.iterdir()):
            raise EvaluationError(f"{folder}: has other files in it; choose an empty folder by --out")
        else:
            _write_manifest(folder, _manifest(plan))
        if (folder / LINES).exists() and (folder / FACTS).exists():
            return plan.size
        return _mended(folder)
    except OSError as error:
        raise EvaluationError(f"{folder}: cannot be written ({error.strerror or error})") from None


def _manifest(plan: Plan) -> dict[str, Any]:
    return {
        "format_of_this_file": 1,
        "arguments": plan.as_dict(),
        "versions": {**software_versions(), "drawn_by": drawn_by()},
        "complete": False,
    }


def read_manifest(folder: Path) -> dict[str, Any]:
    """The folder's manifest; raises EvaluationError where there is none that can be read."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        manifest["arguments"]["size"], manifest["versions"]["arena-llm"]
    except OSError as error:
        raise EvaluationError(
            f"{path}: cannot be read ({error.strerror or error}); expected the folder of a data set"
        ) from None
    except (ValueError, KeyError, TypeError):
        raise EvaluationError(f"{path}: not a manifest of a data set") from None
    plain: dict[str, Any] = manifest
    return plain


def _same_plan(folder: Path, plan: Plan) -> None:
    there, here = read_manifest(folder), _manifest(plan)
    for part in ("arguments", "versions"):
        for name, value in here[part].items():
            if there[part].get(name) != value:
                raise EvaluationError(
                    f"{folder}: was begun with {name} {there[part].get(name)!r}, got {value!r}; use the same "
                    "to go on, or another folder"
                )


def _write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    beside = folder / f"{MANIFEST}.part"
    beside.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    beside.replace(folder / MANIFEST)


def _mended(folder: Path) -> int:
    """Cut both unfinished files to the same number of whole lines; returns that number."""
    parts = [folder / f"{name}.part" for name in (LINES, FACTS)]
    for part in parts:
        # A run that ended between the two renames has one of them finished.
        whole = part.with_suffix("")
        if whole.exists():
            whole.replace(part)
        part.touch()
    done = min(_lines(part)[0] for part in parts)
    for part in parts:
        _, ends = _lines(part, done)
        with part.open("r+b") as file:
            file.truncate(ends)
    return done


def _lines(path: Path, most: int | None = None) -> tuple[int, int]:
    """How many whole lines a file has, at most so many, and where the last of them ends."""
    count = end = 0
    with path.open("rb") as file:
        for line in file:
            if count == most or not line.endswith(b"\n"):
                break
            count, end = count + 1, end + len(line)
    return count, end


def add(folder: Path, written: Iterable[Written]) -> Generator[int, None, None]:
    """Write examples as they come, and yield the number of bytes of each once it is in the files.

    A complete data set is left alone.

    Raises EvaluationError where the disk is full or the folder gone.
    """
    if (folder / LINES).exists() and (folder / FACTS).exists():
        return
    try:
        with (folder / f"{LINES}.part").open("ab") as lines, (folder / f"{FACTS}.part").open("ab") as facts:
            for each in written:
                if each.file:
                    path = folder / each.file
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(each.picture)
                _append(facts, each.facts)
                yield _append(lines, each.line)
    except OSError as error:
        raise EvaluationError(
            f"{folder}: cannot be written ({error.strerror or error}); the same command goes on from here"
        ) from None


def _append(file: IO[bytes], line: str) -> int:
    data = f"{line}\n".encode()
    file.write(data)
    file.flush()
    return len(data)


def finish(folder: Path, plan: Plan) -> dict[str, Any]:
    """Give the complete files their names and the manifest its counts, which are returned.

    Does not touch files that have their names already.
    """
    for name in (LINES, FACTS):
        if not (folder / name).exists():
            (folder / f"{name}.part").replace(folder / name)
    kinds: Counter[str] = Counter()
    goals: Counter[str] = Counter()
    with (folder / FACTS).open(encoding="utf-8") as file:
        for line in file:
            facts = json.loads(line)
            kinds[facts["kind"]] += 1
            goals[facts["goal"]] += 1
    with (folder / LINES).open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    counts = {"kinds": dict(sorted(kinds.items())), "goals": dict(sorted(goals.items()))}
    _write_manifest(folder, _manifest(plan) | {"complete": True, "counts": counts, "train_sha256": digest})
    return counts
