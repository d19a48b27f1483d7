"""`python -m tests.other_machine` plays and draws on an emulated ARM processor, and compares its bits.

It takes Debian's emulator and Python, and the same packages as here. Nothing is installed: they are unpacked
into a folder. Status 0 if all is well or they cannot be had, which is said; it takes about ten minutes.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.other_python import KNOWN, ROOT, compare

EMULATOR = "usr/bin/qemu-aarch64-static"
LIBRARIES = (
    *("libc6", "libgcc-s1", "libstdc++6", "libgomp1", "libexpat1", "zlib1g", "libssl3"),
    *("libffi8", "liblzma5", "libbz2-1.0", "libuuid1"),
)
GLIBC = ("2014", "_2_17", "_2_27", "_2_28")
"""Versions of the C library whose wheels run there."""

PACKAGES = (
    *("numpy", "numba", "pydantic", "pyyaml", "lark", "platformdirs"),
    *("trimesh", "gymnasium", "pillow", "jinja2"),
)
"""What playing and drawing needs."""


def prepare(folder: Path) -> list[str]:
    """Fetch all that is needed into a folder; returns the start of a command that runs a program there.

    Raises CalledProcessError or FileNotFoundError if the machine has no apt-get, or cannot reach packages.
    """
    python = f"python3.{sys.version_info.minor}"
    _unpack(folder / "host", ["qemu-user-static"])
    _unpack(
        folder / "root",
        [f"{python}-minimal", f"lib{python}-minimal", f"lib{python}-stdlib", *LIBRARIES],
        "arm64",
    )
    _install(folder)
    emulator = [folder / "host" / EMULATOR, "-L", folder / "root"]
    return [*map(str, emulator), str(folder / "root" / "usr" / "bin" / python), "-P"]


def _unpack(folder: Path, packages: Sequence[str], processor: str = "") -> None:
    """Download Debian packages and unpack them; the machine's own lists of packages stay as they are."""
    lists, archives = folder / "apt" / "lists", folder / "apt" / "archives"
    for each in (lists, archives):
        (each / "partial").mkdir(parents=True)
    apt = ["apt-get", "-qq", "-o", "APT::Sandbox::User=", "-o", "Dir::State::status=/dev/null"]
    apt += ["-o", f"Dir::State::lists={lists}", "-o", f"Dir::Cache::archives={archives}"]
    if processor:
        apt += ["-o", f"APT::Architecture={processor}", "-o", f"APT::Architectures={processor}"]
    subprocess.run([*apt, "update"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*apt, "download", *packages], check=True, stdout=subprocess.DEVNULL, cwd=archives)
    for package in archives.glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, folder], check=True)


def _install(folder: Path) -> None:
    """Install the package, and those it needs in the versions of `constraints.txt`."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    pip += ["--target", str(folder / "site")]
    platforms = [word for version in GLIBC for word in ("--platform", f"manylinux{version}_aarch64")]
    others = ["--only-binary=:all:", *platforms, "--constraint", str(ROOT / "constraints.txt"), *PACKAGES]
    for what in (["--no-deps", str(ROOT)], others):
        subprocess.run([*pip, *what], check=True, stdout=subprocess.DEVNULL)


def run(command: Sequence[str], program: Path, folder: Path) -> str:
    """The output of a program of the project."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("OPENBLAS", "PYTHON"))}
    paths = os.pathsep.join([str(ROOT), str(folder / "site")])
    plain |= {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": str(folder / "code")}
    done = subprocess.run([*command, program], check=True, stdout=subprocess.PIPE, text=True, env=plain)
    return done.stdout


def main() -> int:
    """Check an ARM processor."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        try:
            command = prepare(folder)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"No emulator: that an ARM processor has the same bits is not checked ({error}).")
            return 0
        found = run(command, ROOT / "tests" / "bits.py", folder)
    return compare("aarch64", KNOWN.read_text(encoding="utf-8"), found)


if __name__ == "__main__":
    sys.exit(main())
