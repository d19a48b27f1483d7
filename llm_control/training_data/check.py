"""Checks a written data set: every line is rebuilt, every reply is played in its arena."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena import ArenaSpec
from arena.errors import ArenaError, EvaluationError
from arena.files import MAX_DATA_BYTES, read_bytes
from arena.replay import play
from evaluation.prompts import PromptSet
from llm_control.script import DEGREES_PER_STEP, parse
from llm_control.training_data.example import (
    THRESHOLD_M,
    VICINITY_M,
    Example,
    Kind,
    ball_position,
    kind_of,
    renderer,
    start_episode,
    touches_only_ball,
)
from llm_control.training_data.folder import (
    FACTS,
    LINES,
    DatasetSpec,
    Format,
    as_line,
    dialogue,
    is_complete,
    picture_file,
    picture_in,
    read_manifest,
)
from render import Frame, decode


class StoredRow(NamedTuple):
    """One example of a folder: its number, its line and its facts, as text; None for a missing one.

    `picture` is the content of its file, None if it has none or that cannot be read.
    """

    number: int
    line: str | None
    facts: str | None
    picture: bytes | None = None


def read_spec(folder: Path, prompts: PromptSet) -> DatasetSpec:
    """The spec of a complete data set; raises EvaluationError if it is incomplete or has other prompts."""
    arguments = read_manifest(folder)["arguments"]
    if not is_complete(folder):
        raise EvaluationError(f"{folder}: is not complete; the command that started it continues it")
    if arguments["prompts_sha256"] != prompts.sha256:
        raise EvaluationError(
            f"{folder}: was made with other prompts (sha256 {arguments['prompts_sha256'][:12]}, here "
            f"{prompts.sha256[:12]}); give its own by --prompt, or use the version that made it"
        )
    try:
        format = Format(arguments["format"])
    except ValueError as error:
        raise EvaluationError(f"{folder}: {error}") from None
    return DatasetSpec(
        int(arguments["size"]), arguments["seed"], format, prompts, image_uri=arguments["image_uri"]
    )


def read_rows(folder: Path, spec: DatasetSpec) -> Iterator[StoredRow]:
    """All examples one by one, including missing and surplus ones."""
    with (folder / LINES).open(encoding="utf-8") as lines, (folder / FACTS).open(encoding="utf-8") as facts:
        for number, (_, line, fact) in enumerate(zip_longest(range(spec.size), lines, facts)):
            picture = None
            if spec.format.has_files:
                with suppress(OSError):
                    picture = read_bytes(folder / picture_file(number), MAX_DATA_BYTES)
            yield StoredRow(number, line, fact, picture)


def problem(row: StoredRow, spec: DatasetSpec) -> str | None:
    """What is wrong with an example, in one line; None if nothing is."""
    name = f"line {row.number + 1}"
    if row.line is None or row.facts is None:
        return f"{LINES if row.line is None else FACTS} has no {name}"
    if not row.line.endswith("\n") or not row.facts.endswith("\n"):
        return f"{name} is cut off"
    try:
        facts = json.loads(row.facts)
        picture = picture_in(json.loads(row.line), spec.format) or row.picture
        if picture is None:
            return f"{name}: {picture_file(row.number)} cannot be read"
        fault = _fault(row.number, row.line.rstrip("\n"), facts, picture, spec)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OSError, ArenaError) as error:
        reason = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"
        return f"{name} cannot be used: {reason}"
    return f"{name}: {fault}" if fault else None


def _fault(number: int, line: str, facts: dict[str, Any], picture: bytes, spec: DatasetSpec) -> str | None:
    arena = ArenaSpec.model_validate_json(json.dumps(facts["arena"]))
    kind, reply = Kind(facts["kind"]), facts["reply"]
    if (facts["index"], facts["seed"], kind) != (number, spec.seed, kind_of(spec.seed, number)):
        return f"not example {number} of seed {spec.seed}"
    if hashlib.sha256(picture).hexdigest() != facts["image_sha256"]:
        return "the picture is not the one that was made"
    fault, frame, health = _replay(kind, reply, arena, facts["task_id"], spec.seed)
    if fault:
        return fault
    if not np.array_equal(decode(picture), frame):
        return "the picture is not what the agent sees, or another renderer drew it"
    example = Example(number, kind, facts["goal"], 0.0, 0.0, 0, reply, health, arena, spec.seed, frame)
    shown = dialogue(example, spec.prompts)._replace(picture=picture)
    if as_line(shown, spec.format, spec.image_uri) != line:
        return "not the text that picture, prompts and reply make"
    return None


def _replay(kind: Kind, reply: str, spec: ArenaSpec, name: str, seed: int) -> tuple[str | None, Frame, float]:
    """Play a reply: what is wrong with it, None for nothing, and the picture and health before it."""
    episode, _ = start_episode(spec, name, seed)
    with episode:
        before, frame, health = ball_position(episode), renderer().frame(episode.scene()), episode.health
        near, turns = kind is Kind.NEAR, kind in (Kind.LEFT, Kind.RIGHT)
        if not turns and (before.distance < THRESHOLD_M) is not near:
            return f"{kind}, but the ball is {before.distance:.2f} m away", frame, health
        script = parse(reply, strict=True)
        moments = list(play(episode, zip(script.actions())))
        events = [event for moment in moments for event in moment.events]
        after = ball_position(episode)
        good = {
            Kind.NEAR: touches_only_ball(events) and len(moments) == script.steps,
            Kind.FAR: not events and after.distance <= VICINITY_M,
        }.get(kind, abs(after.bearing) <= DEGREES_PER_STEP / 2 + 0.01 and not events)
        ball = f"{after.distance:.1f} m away, {after.bearing:.1f} degrees to the right, events {events}"
        return None if good else f"{kind}, but after {reply!r} the ball is {ball}", frame, health
