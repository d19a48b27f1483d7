"""The task battery: files, levels, and the blueprints that make them."""

from testbed.tasks import LEVEL_NAMES, Task, find_tasks, parse_levels, task_named

__all__ = ["LEVEL_NAMES", "Task", "find_tasks", "parse_levels", "task_named"]
