"""The report of evaluation logs: a folder of pages that a browser opens from disk."""

from report.run.build import open_logs, write_log_report
from report.run.log import RunLog
from report.run.log_files import find_logs

__all__ = ["RunLog", "find_logs", "open_logs", "write_log_report"]
