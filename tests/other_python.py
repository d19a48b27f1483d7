"""`python -m tests.other_python NAME` plays with another Python, and compares its bits with `tests/bits.txt`.

The wheel is built twice with the same bytes and installed plainly, as a user would, with the newest versions
that it allows; with a second argument, `eval`, so is what evaluations need. Status 0 if all is well or
there is no such Python, which is said.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
KNOWN = ROOT / "tests" / "bits.txt"
SCRIPT = "Turn(-30); Go(12);\nGo(6);\n"
GYMNASIUM = """
import arena, gymnasium
env = gymnasium.make("arena-llm/Arena-v0", config="01-01-01", observation=("camera", "vector"), resolution=84)
env.reset(seed=1)
print(env.step(3)[1:4])
"""


def interpreter(name: str) -> Path | None:
    """The program NAME, such as python3.13, in PATH or among pyenv's versions, if one starts."""
    version = name.removeprefix("python")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    folders = [*map(Path, os.get_exec_path()), *(folder / "bin" for folder in pyenv.glob(f"{version}.*"))]
    return next((folder / name for folder in folders if _starts(folder / name)), None)


def _starts(program: Path) -> bool:
    # A shim of pyenv is a program that fails unless its version is chosen.
    return program.is_file() and subprocess.run([program, "--version"], capture_output=True).returncode == 0


def install(python: Path, folder: Path, extra: str = "") -> Path:
    """Create an environment with the built package; returns the folder of its programs."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    pip = [folder / "bin" / "pip", "--disable-pip-version-check"]
    for place in (folder / "first", folder / "second"):
        subprocess.run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", place, ROOT], check=True)
    first, second = (next(folder.glob(f"{place}/*.whl")) for place in ("first", "second"))
    assert hashlib.sha256(first.read_bytes()).digest() == hashlib.sha256(second.read_bytes()).digest()
    wanted = f"{first}[{extra}]" if extra else first
    subprocess.run([*pip, "install", "--quiet", "--no-compile", wanted], check=True)
    subprocess.run([*pip, "check"], check=True, stdout=sys.stderr)
    return folder / "bin"


def play(programs: Path, folder: Path, extra: str = "") -> None:
    """Play the README's first examples by the installed package, and verify the recording."""
    (folder / "scripts.txt").write_text(SCRIPT)
    evaluation = "eval --model arena/pixels --tasks short-form --levels 1-3", "verify logs"
    for line in (
        "doctor",
        "run 01-01-01 --scripts scripts.txt --recording episode.json --frames frames",
        "replay episode.json --video episode.gif --hud",
        "show 03-02-01 --out task.png",
        *(evaluation if extra else ()),
    ):
        subprocess.run([programs / "arena-llm", *line.split()], cwd=folder, check=True, stdout=sys.stderr)
    subprocess.run([programs / "python", "-c", GYMNASIUM], cwd=folder, check=True, stdout=sys.stderr)


def bits(python: Path | str, environment: Mapping[str, str] = os.environ) -> str:
    """What `tests/bits.py` prints with a Python."""
    # With -P, the folder tests/arena does not hide the package.
    command = [python, "-P", ROOT / "tests" / "bits.py"]
    return subprocess.run(
        command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def compare(name: str, known: str, found: str) -> int:
    """Print whether another Python or machine prints the known lines; returns a status."""
    lines, wrong = found.splitlines(), set(found.splitlines()) - set(known.splitlines())
    if found != known or not found:
        print(f"{name}: {len(lines)} of {known.count(chr(10))} lines, other bits in:", *wrong, sep="\n")
        return 1
    print(f"{name}: {len(lines)} episodes and their pictures have the same bits.")
    return 0


def main() -> int:
    """Check the Python that is named first among the arguments."""
    name, *extra = sys.argv[1:]
    python = interpreter(name)
    if python is None:
        print(f"No {name} was found: that the package plays with it is not checked.")
        return 0
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        os.environ.pop("PYTHONPATH", None)
        programs = install(python, folder / "venv", *extra)
        (folder / "empty").mkdir()
        play(programs, folder / "empty", *extra)
        return compare(name, KNOWN.read_text(encoding="utf-8"), bits(programs / "python"))


if __name__ == "__main__":
    sys.exit(main())
