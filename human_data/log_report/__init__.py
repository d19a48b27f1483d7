"""The report of evaluation logs: a folder of pages that a browser opens from disk."""

from human_data.log_report.build import open_logs, write_log_report
from human_data.log_report.log import RunLog
from human_data.log_report.log_files import find_logs

__all__ = ["RunLog", "find_logs", "open_logs", "write_log_report"]
