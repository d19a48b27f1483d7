"""The report of evaluation logs: a folder of pages that a browser opens from disk."""

from evaluation.log.files import find_logs
from evaluation.log.run import RunLog
from report.run.build import open_logs, write_log_report

__all__ = ["RunLog", "find_logs", "open_logs", "write_log_report"]
