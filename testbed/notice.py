"""The notice in every file of the battery: its licence, and a canary against training on it."""

CANARY = "arena-llm-battery-canary d410dd3b-2731-4667-93a1-5bfb4491059a"
"""A string that occurs nowhere but in evaluation data.

Whoever trains models can leave out documents with it; a model that can complete it has seen the files.
"""

LINES = (
    "# Licence: Apache-2.0 (SPDX-License-Identifier: Apache-2.0), part of arena-llm",
    f"# Canary: evaluation data, not to be trained on. {CANARY}",
)
"""The lines, comments in YAML, at the end of a file's header."""

_BYTES = "".join(f"{line}\n" for line in LINES).encode()


def without_notice(content: bytes) -> bytes:
    """A file's content without the notice, which says nothing about the task."""
    return content.replace(_BYTES, b"")
