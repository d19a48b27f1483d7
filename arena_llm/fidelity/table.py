"""CSV files with a heading, read row by row, so that an error names the line."""

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena import ConfigError, RecordingError
from arena.files import read_text


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a table: its cells by column, and its line in the file."""

    path: Path
    number: int
    cells: dict[str, str]

    @property
    def place(self) -> str:
        """`file:line`, for messages."""
        return f"{self.path}:{self.number}"

    def integer(self, column: str) -> int:
        """A whole number of 0 or more; raises RecordingError if the cell has none."""
        text = self.cells[column].strip()
        if not text.isdecimal():
            raise RecordingError(f"{self.place}: {column}: got {text!r}, expected a whole number")
        return int(text)

    def real(self, column: str) -> float:
        """A finite number; raises RecordingError if the cell has none."""
        text = self.cells[column].strip()
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise RecordingError(f"{self.place}: {column}: got {text!r}, expected a number")
        return value

    def has(self, column: str) -> bool:
        """Whether the table has this column and the row a value in it."""
        return bool((self.cells.get(column) or "").strip())


def read_table(path: Path, columns: tuple[str, ...]) -> Iterator[Line]:
    """The rows of a CSV file that has at least these columns.

    Raises RecordingError if the file cannot be read, lacks one of the columns or has no rows, and for a row
    that is shorter or longer than the heading.
    """
    try:
        lines = read_text(path).splitlines()
    except ConfigError as error:
        raise RecordingError(str(error)) from None
    table = csv.DictReader(lines)
    heading = table.fieldnames or ()
    missing = [column for column in columns if column not in heading]
    if missing:
        raise RecordingError(
            f"{path}:1: no column {', '.join(missing)}; got {', '.join(heading) or 'nothing'}"
        )
    cells = None
    for cells in table:
        if None in cells or None in cells.values():
            raise RecordingError(f"{path}:{table.line_num}: expected {len(heading)} cells, as in the heading")
        yield Line(path, table.line_num, cells)
    if cells is None:
        raise RecordingError(f"{path}: the table has a heading, but no rows")
