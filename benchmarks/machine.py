"""The machine on which a benchmark runs."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from arena import RenderError
from render.context import drawing as opengl

_PACKAGES = ("arena-llm", "pybullet", "pybullet-arm64", "moderngl", "numpy", "pyrender", "miniworld")


def machine_facts(drawing: bool) -> dict[str, Any]:
    """Processor, cores, system and versions; with `drawing`, also what OpenGL draws with.

    Without OpenGL, `opengl` is None and `no_opengl` the reason.
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
            with opengl() as context:
                facts["opengl"] = context.info["GL_RENDERER"]
        except RenderError as error:
            facts |= {"opengl": None, "no_opengl": str(error)}
    return facts


def load_average() -> float | None:
    """Average number of runnable processes over the last minute; None if the system does not report it."""
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
