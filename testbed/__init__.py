"""The task battery: files, levels, and the blueprints that make them."""

from testbed.tasks import CHILDREN, LEVEL_NAMES, Task, find_tasks, parse_levels, task_named

__all__ = ["CHILDREN", "LEVEL_NAMES", "Task", "find_tasks", "parse_levels", "task_named"]
