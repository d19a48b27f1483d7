"""Exit statuses of the `arena-llm` command."""

INTERRUPTED = 130
"""After Ctrl-C, as shells have it."""
