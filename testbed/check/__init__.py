"""Checks of task files before they are played."""

from testbed.check.finding import CODES, Finding, Level
from testbed.check.report import FileReport, Options, check_file, check_files, task_files

__all__ = ["CODES", "FileReport", "Finding", "Level", "Options", "check_file", "check_files", "task_files"]
