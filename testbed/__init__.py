"""The task battery: files and levels, blueprints, checks, the oracle and proofs."""

from testbed.tasks import CHILDREN, LEVEL_NAMES, SHORT_FORM, Task, find_tasks, parse_levels, task_named

__all__ = ["CHILDREN", "LEVEL_NAMES", "SHORT_FORM", "Task", "find_tasks", "parse_levels", "task_named"]
