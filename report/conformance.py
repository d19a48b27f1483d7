"""What a suite's report must have, for `evaluation.check_suite`."""

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from tempfile import mkdtemp

from arena.files import read_text
from evaluation.log.run import RunLog
from report.build import write_log_report


def faults(log: RunLog, folder: Path) -> Iterator[str]:
    """What the report of a run lacks: a page of each episode, and a row with the score that its log has."""
    out = Path(mkdtemp(dir=folder))
    page = write_log_report([log], out).page
    rows = list(csv.DictReader(StringIO(read_text(out / "episodes.csv"))))
    if len(rows) != log.planned:
        yield f"episodes.csv has {len(rows)} rows, of {log.planned} planned episodes"
    text = read_text(page)
    unnamed = [each for each in log.task_ids if each not in text]
    yield from (f"the first page of the report does not name {each}" for each in unnamed)
    logged = {(each.task_id, each.trial): each for each in log.results()}
    for row in rows:
        result = logged[row["task_id"], int(row["trial"])]
        if row["passed"] != ("" if result.passed is None else str(result.passed)):
            yield f"episodes.csv: passed of {result.task_id} is {row['passed']!r}, in the log {result.passed}"
