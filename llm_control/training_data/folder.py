"""A data set's folder: written line by line and resumed after any interruption, never with half a line.

    train.jsonl      one example per line, in a provider's format
    examples.jsonl   one line per example: its origin (arena, distance, kind)
    images/          the pictures, for formats whose lines do not contain them
    manifest.json    arguments, hash of the prompts, versions, counts

Until all examples are written, the names of the first two end in `.part`."""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Generator, Iterable
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, NamedTuple

from arena.errors import EvaluationError
from arena.files import read_bytes, write_file
from arena.recording import software_versions
from evaluation.prompts import PromptSet
from llm_control.choices import ArenaChoices
from llm_control.messages import first_parts, opening
from llm_control.observations import View
from llm_control.training_data.example import Example, make_example
from render import DRAWN_BY, png

LARGEST_OPENAI = 50_000
"""Examples with images that OpenAI takes in one file (vision-fine-tuning guide)."""


class Format(StrEnum):
    """The chat format of the lines, as providers take it for training.

    `openai`: supervised fine-tuning with images, https://platform.openai.com/docs/guides/vision-fine-tuning
    `anthropic`: a Messages request with the reply, as Amazon Bedrock takes it for Claude.
    `google`: supervised tuning of Gemini on Vertex AI, with images as files in a bucket.
    `sharegpt`: the format of LLaMA-Factory and others, with images as files beside the lines.
    """

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    SHAREGPT = "sharegpt"

    @property
    def has_files(self) -> bool:
        """Whether the pictures are files beside the lines instead of inside them."""
        return self in (Format.GOOGLE, Format.SHAREGPT)


class Dialogue(NamedTuple):
    """What the model is shown, word for word as in an evaluation, and the reply to learn.

    `picture` is the content of a PNG file, `file` its path in the data set's folder.
    """

    system: str
    user: str
    picture: bytes
    reply: str
    file: str


def dialogue(example: Example, prompts: PromptSet) -> Dialogue:
    """An example as the start of an evaluation's conversation."""
    choices = ArenaChoices()
    (system,) = opening(choices, prompts)
    parts = first_parts(choices, prompts, example.health, View((example.frame,), None))
    text = "".join(part for part in parts if isinstance(part, str))
    return Dialogue(system.text, text, png(example.frame), example.reply, picture_file(example.index))


def picture_file(index: int) -> str:
    """Path of an example's picture; a thousand per folder, because some file systems dislike more."""
    return f"images/{index // 1000:04d}/{index:07d}.png"


def as_line(dialogue: Dialogue, format: Format, image_uri: str = "") -> str:
    """A dialogue as one line of JSON; `image_uri` is where a provider finds the data set's folder."""
    return json.dumps(_BUILDERS[format](dialogue, image_uri), ensure_ascii=False)


def picture_in(line: dict[str, Any], format: Format) -> bytes | None:
    """The picture of a parsed line, None if it is a file. Raises KeyError, IndexError or ValueError."""
    if format is Format.OPENAI:
        uri: str = line["messages"][1]["content"][0]["image_url"]["url"]
        return base64.b64decode(uri.partition(",")[2], validate=True)
    if format is Format.ANTHROPIC:
        return base64.b64decode(line["messages"][0]["content"][0]["source"]["data"], validate=True)
    return None


def _base64(picture: bytes) -> str:
    return base64.b64encode(picture).decode()


def _openai(dialogue: Dialogue, image_uri: str) -> dict[str, Any]:
    image = {"url": f"data:image/png;base64,{_base64(dialogue.picture)}"}
    content = [{"type": "image_url", "image_url": image}, {"type": "text", "text": dialogue.user}]
    return {
        "messages": [
            {"role": "system", "content": dialogue.system},
            {"role": "user", "content": content},
            {"role": "assistant", "content": dialogue.reply},
        ]
    }


def _anthropic(dialogue: Dialogue, image_uri: str) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/png", "data": _base64(dialogue.picture)}
    content = [{"type": "image", "source": source}, {"type": "text", "text": dialogue.user}]
    messages = [{"role": "user", "content": content}, {"role": "assistant", "content": dialogue.reply}]
    return {"system": dialogue.system, "messages": messages}


def _google(dialogue: Dialogue, image_uri: str) -> dict[str, Any]:
    file = {"mimeType": "image/png", "fileUri": f"{image_uri.rstrip('/')}/{dialogue.file}"}
    return {
        "systemInstruction": {"role": "system", "parts": [{"text": dialogue.system}]},
        "contents": [
            {"role": "user", "parts": [{"fileData": file}, {"text": dialogue.user}]},
            {"role": "model", "parts": [{"text": dialogue.reply}]},
        ],
    }


def _sharegpt(dialogue: Dialogue, image_uri: str) -> dict[str, Any]:
    return {
        "conversations": [
            {"from": "human", "value": f"<image>{dialogue.user}"},
            {"from": "gpt", "value": dialogue.reply},
        ],
        "system": dialogue.system,
        "images": [dialogue.file],
    }


_BUILDERS = {
    Format.OPENAI: _openai,
    Format.ANTHROPIC: _anthropic,
    Format.GOOGLE: _google,
    Format.SHAREGPT: _sharegpt,
}


MANIFEST, LINES, FACTS = "manifest.json", "train.jsonl", "examples.jsonl"


class DatasetSpec(NamedTuple):
    """What determines a data set: the same spec gives the same bytes.

    The manifest keeps the hash of `prompts`; `image_uri` is where the provider finds the folder.
    """

    size: int
    seed: int
    format: Format
    prompts: PromptSet
    image_uri: str = ""

    def manifest(self) -> dict[str, Any]:
        """The manifest of an incomplete data set."""
        arguments = {
            "size": self.size,
            "seed": self.seed,
            "format": str(self.format),
            "image_uri": self.image_uri,
            "prompts_sha256": self.prompts.sha256,
            "system_prompt_sha256": self.prompts["system"].sha256,
        }
        versions = {**software_versions(), "drawn_by": DRAWN_BY}
        return {"format_of_this_file": 1, "arguments": arguments, "versions": versions, "complete": False}


class Row(NamedTuple):
    """One example as it is stored."""

    line: str
    facts: str
    file: str | None
    picture: bytes


def make_row(index: int, spec: DatasetSpec) -> Row:
    """Make an example of a data set; the same bytes in every process on the same machine."""
    example = make_example(spec.seed, index)
    shown = dialogue(example, spec.prompts)
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
        "image_sha256": hashlib.sha256(shown.picture).hexdigest(),
        "arena": example.spec.model_dump(mode="json", exclude_defaults=True),
    }
    file = shown.file if spec.format.has_files else None
    return Row(as_line(shown, spec.format, spec.image_uri), json.dumps(facts), file, shown.picture)


def start(folder: Path, spec: DatasetSpec) -> int:
    """Create the folder of a data set or prepare it for resuming; returns the number of its examples.

    Incomplete lines are removed. Raises EvaluationError if the folder has other content, was started with
    another spec or other software, or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / MANIFEST).exists():
            _check_same(folder, spec)
        elif not all(path.match(f".{Path(MANIFEST).stem}.*.part.json") for path in folder.iterdir()):
            raise EvaluationError(f"{folder}: has other files in it; choose an empty folder by --out")
        else:
            _write_manifest(folder, spec.manifest())
        return spec.size if is_complete(folder) else _truncate(folder)
    except OSError as error:
        raise EvaluationError(f"{folder}: cannot be written ({error.strerror or error})") from None


def is_complete(folder: Path) -> bool:
    """Whether all examples are written."""
    return (folder / LINES).is_file() and (folder / FACTS).is_file()


def read_manifest(folder: Path) -> dict[str, Any]:
    """The folder's manifest; raises EvaluationError if it is missing or cannot be read."""
    path = folder / MANIFEST
    try:
        manifest: dict[str, Any] = json.loads(read_bytes(path))
        manifest["arguments"]["size"], manifest["versions"]["arena-llm"]
    except OSError as error:
        raise EvaluationError(
            f"{path}: cannot be read ({error.strerror or error}); expected the folder of a data set"
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise EvaluationError(f"{path}: not a manifest of a data set") from None
    return manifest


def _check_same(folder: Path, spec: DatasetSpec) -> None:
    there, here = read_manifest(folder), spec.manifest()
    for part in ("arguments", "versions"):
        for name, value in here[part].items():
            if there[part].get(name) != value:
                raise EvaluationError(
                    f"{folder}: was started with {name} {there[part].get(name)!r}, got {value!r}; use the "
                    "same to continue, or another folder"
                )


def _write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    write_file(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")


def _truncate(folder: Path) -> int:
    """Cut both unfinished files to the same number of complete lines; returns that number."""
    parts = [folder / f"{name}.part" for name in (LINES, FACTS)]
    for part in parts:
        # A run that ended between the two renames has finished one of them.
        finished = part.with_suffix("")
        if finished.exists():
            finished.replace(part)
        part.touch()
    done = min(len(_line_ends(part)) for part in parts)
    for part in parts:
        with part.open("r+b") as file:
            file.truncate(_line_ends(part)[done - 1] if done else 0)
    return done


def _line_ends(path: Path) -> list[int]:
    """Where each complete line of a file ends, in bytes."""
    with path.open("rb") as file:
        return [file.tell() for line in iter(file.readline, b"") if line.endswith(b"\n")]


def append(folder: Path, rows: Iterable[Row]) -> Generator[int, None, None]:
    """Write examples as they arrive, and yield the size of each line in bytes once it is in the files.

    A complete data set is left as it is. Raises EvaluationError if the disk is full or the folder is gone.
    """
    if is_complete(folder):
        return
    try:
        with (folder / f"{LINES}.part").open("ab") as lines, (folder / f"{FACTS}.part").open("ab") as facts:
            for row in rows:
                if row.file:
                    write_file(folder / row.file, row.picture)
                _append_line(facts, row.facts)
                yield _append_line(lines, row.line)
    except OSError as error:
        raise EvaluationError(
            f"{folder}: cannot be written ({error.strerror or error}); the same command continues from here"
        ) from None


def _append_line(file: IO[bytes], line: str) -> int:
    data = f"{line}\n".encode()
    file.write(data)
    file.flush()
    return len(data)


def finish(folder: Path, spec: DatasetSpec) -> dict[str, dict[str, int]]:
    """Rename the complete files, and write the counts, which are returned, to the manifest."""
    for name in (LINES, FACTS):
        if not (folder / name).exists():
            (folder / f"{name}.part").replace(folder / name)
    with (folder / FACTS).open(encoding="utf-8") as file:
        values = [(facts["kind"], facts["goal"]) for facts in map(json.loads, file)]
    kinds, goals = (dict(sorted(Counter(column).items())) for column in zip(*values, strict=True))
    with (folder / LINES).open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    counts = {"kinds": kinds, "goals": goals}
    _write_manifest(folder, spec.manifest() | {"complete": True, "counts": counts, "train_sha256": digest})
    return counts
