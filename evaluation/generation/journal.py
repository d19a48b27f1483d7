"""Replies of a long conversation, kept on disk one by one.

Inspect logs a sample when it is finished. A conversation over many tasks is one sample, so its replies are
kept here: the arena plays the same again from them, and the model is asked only for what is missing.
"""

import json
import os
from pathlib import Path

from inspect_ai.model import ModelOutput
from pydantic import ValidationError

from arena.errors import EvaluationError
from arena.files import MAX_DATA_BYTES, read_bytes


class Journal:
    """The replies of one sample, (`sample_id`, `epoch`), in a file of JSON lines that samples share.

    Without a path nothing is kept. Raises EvaluationError where the file cannot be read or written.
    """

    def __init__(self, path: Path | None, sample_id: str, epoch: int) -> None:
        self._path, self._sample = path, [sample_id, epoch]
        self._kept = list(reversed(self._read()))

    def next(self) -> ModelOutput | None:
        """The next reply of an earlier, broken-off attempt; None where the model has to be asked."""
        return self._kept.pop() if self._kept else None

    def keep(self, output: ModelOutput) -> None:
        """Write a reply to the disk."""
        if self._path is None:
            return
        line = json.dumps(
            {"sample": self._sample, "output": output.model_dump(mode="json", exclude_none=True)}
        )
        try:
            with self._path.open("a", encoding="utf-8") as file:
                # After a torn line, which a kill may leave, this begins a new one.
                file.write(f"\n{line}\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise EvaluationError(f"{self._path}: cannot be written: {error.strerror or error}") from None

    def _read(self) -> list[ModelOutput]:
        if self._path is None or not self._path.exists():
            return []
        try:
            lines = read_bytes(self._path, MAX_DATA_BYTES).decode("utf-8", "replace").splitlines()
        except OSError as error:
            raise EvaluationError(f"{self._path}: cannot be read: {error.strerror or error}") from None
        return [output for line in lines if (output := self._output(line)) is not None]

    def _output(self, line: str) -> ModelOutput | None:
        try:
            entry = json.loads(line)
            return ModelOutput.model_validate(entry["output"]) if entry["sample"] == self._sample else None
        except (ValueError, KeyError, TypeError, ValidationError):
            return None
