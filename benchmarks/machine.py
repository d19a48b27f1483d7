"""The machine that a benchmark ran on."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from arena import RenderError
from render.context import gl_context

_PACKAGES = ("arena-llm", "pybullet", "pybullet-arm64", "moderngl", "numpy", "pyrender", "miniworld")


def machine_facts(drawing: bool) -> dict[str, Any]:
    """Processor, cores, system and versions; with `drawing`, also what OpenGL draws with.

    `opengl` is None where there is none, and `no_opengl` says why.
    """
    facts: dict[str, Any] = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "system": platform.platform(),
        "versions": {"python": platform.python_version(), **_versions()},
    }
    if drawing:
        try:
            facts["opengl"] = gl_context().info["GL_RENDERER"]
        except RenderError as error:
            facts |= {"opengl": None, "no_opengl": str(error)}
    return facts


def load_average() -> float | None:
    """Processes that wanted to run in the last minute, on average; None where the system does not tell."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())
