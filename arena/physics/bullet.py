"""PyBullet, imported without the line that it prints on standard error when it is loaded."""

import os

_stderr = os.dup(2)
_nowhere = os.open(os.devnull, os.O_WRONLY)
os.dup2(_nowhere, 2)
try:
    import pybullet as bullet
finally:
    os.dup2(_stderr, 2)
    os.close(_stderr)
    os.close(_nowhere)

__all__ = ["bullet"]
