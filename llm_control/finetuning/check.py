"""Whether a written data set is what it says: every line rebuilt, every reply played in its arena."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena import ArenaSpec, EventKind
from arena.errors import ArenaError, EvaluationError
from arena.replay import play
from evaluation.prompts import PromptSet
from llm_control.finetuning.arenas import THRESHOLD_M, Kind, kind_of
from llm_control.finetuning.example import VICINITY_M, Example, renderer, start, view
from llm_control.finetuning.folder import FACTS, LINES, read_manifest
from llm_control.finetuning.formats import Format, as_line, exchange, picture_file, picture_in
from llm_control.script import DEGREES_PER_STEP, parse
from render import Frame, decode


class Row(NamedTuple):
    """One example of a folder: its number, its line and its facts as text; None where there is none.

    `picture` holds the bytes of its file, None where it has none or that cannot be read.
    """

    number: int
    line: str | None
    facts: str | None
    picture: bytes | None = None


class Rules(NamedTuple):
    """What the lines of a folder are checked by."""

    folder: Path
    format: Format
    seed: int
    image_uri: str
    prompts: PromptSet


def rules_of(folder: Path, prompts: PromptSet) -> tuple[Rules, int]:
    """The rules of a complete data set and its size.

    Raises EvaluationError where it is not complete, or made with other prompts than these.
    """
    manifest = read_manifest(folder)
    arguments = manifest["arguments"]
    if not (folder / LINES).is_file() or not (folder / FACTS).is_file():
        raise EvaluationError(f"{folder}: is not complete; the command that began it goes on with it")
    if arguments["prompts_sha256"] != prompts.sha256:
        raise EvaluationError(
            f"{folder}: was made with other prompts (sha256 {arguments['prompts_sha256'][:12]}, here "
            f"{prompts.sha256[:12]}); give its own by --prompt, or the version that made it"
        )
    try:
        format = Format(arguments["format"])
    except ValueError as error:
        raise EvaluationError(f"{folder}: {error}") from None
    rules = Rules(folder, format, arguments["seed"], arguments["image_uri"], prompts)
    return rules, int(arguments["size"])


def rows(rules: Rules, size: int) -> Iterator[Row]:
    """Every example, those that are missing or too many included, one at a time."""
    folder = rules.folder
    with (folder / LINES).open(encoding="utf-8") as lines, (folder / FACTS).open(encoding="utf-8") as facts:
        for number, (_, line, fact) in enumerate(zip_longest(range(size), lines, facts)):
            picture = None
            if rules.format.has_files:
                with suppress(OSError):
                    picture = (folder / picture_file(number)).read_bytes()
            yield Row(number, line, fact, picture)


def problem(row: Row, rules: Rules) -> str | None:
    """What is wrong with an example, in one line; None where nothing is."""
    if row.line is None or row.facts is None:
        return f"{LINES if row.line is None else FACTS} has no line {row.number + 1}"
    if not row.line.endswith("\n") or not row.facts.endswith("\n"):
        return f"line {row.number + 1} is cut off"
    try:
        facts = json.loads(row.facts)
        spec = ArenaSpec.model_validate_json(json.dumps(facts["arena"]))
        picture = picture_in(json.loads(row.line), rules.format)
        if picture is None:
            picture = row.picture
        if picture is None:
            picture = (rules.folder / picture_file(row.number)).read_bytes()
        return _wrong(row, row.line.rstrip("\n"), rules, facts, spec, picture)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OSError, ArenaError) as error:
        reason = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"
        return f"line {row.number + 1} cannot be used: {reason}"


def _wrong(
    row: Row, line: str, rules: Rules, facts: dict[str, Any], spec: ArenaSpec, picture: bytes
) -> str | None:
    kind = Kind(facts["kind"])
    if (
        facts["index"] != row.number
        or facts["seed"] != rules.seed
        or kind is not kind_of(rules.seed, row.number)
    ):
        return f"line {row.number + 1} is not example {row.number} of seed {rules.seed}"
    if hashlib.sha256(picture).hexdigest() != facts["image_sha256"]:
        return f"line {row.number + 1}: the picture is not the one that was made"
    told, frame, health = played(kind, facts["reply"], spec, facts["task_id"], rules.seed)
    if told:
        return f"line {row.number + 1}: {told}"
    if not np.array_equal(decode(picture), frame):
        return f"line {row.number + 1}: the picture is not what the agent sees, or another renderer drew it"
    example = Example(
        row.number, kind, facts["goal"], 0.0, 0.0, 0, facts["reply"], health, spec, rules.seed, frame
    )
    said = exchange(example, rules.prompts)._replace(picture=picture)
    if as_line(said, rules.format, rules.image_uri) != line:
        return f"line {row.number + 1}: not the text that picture, prompts and reply make"
    return None


def played(kind: Kind, reply: str, spec: ArenaSpec, name: str, seed: int) -> tuple[str | None, Frame, float]:
    """What is wrong with a reply when it is played, None for nothing; picture and health before it."""
    episode, _ = start(spec, name, seed)
    with episode:
        before, frame, health = view(episode), renderer().frame(episode.scene()), episode.health
        near, turns = kind is Kind.NEAR, kind in (Kind.LEFT, Kind.RIGHT)
        if not turns and (before.distance < THRESHOLD_M) is not near:
            return f"{kind}, but the ball is {before.distance:.2f} m away", frame, health
        script = parse(reply, strict=True)
        happened = [moment.events for moment in play(episode, zip(script.actions()))]
        events = list(chain.from_iterable(happened))
        after = view(episode)
        touched = [event.kind for event in events] == [EventKind.GOOD_GOAL]
        good = {
            Kind.NEAR: touched and len(happened) == script.steps,
            Kind.FAR: not events and after.distance <= VICINITY_M,
        }.get(kind, abs(after.bearing) <= DEGREES_PER_STEP / 2 + 0.01 and not events)
        done = f"{after.distance:.1f} m away, {after.bearing:.1f} degrees to the right, events {events}"
        return None if good else f"{kind}, but after {reply!r} the ball is {done}", frame, health
