"""Every published figure: `python -m benchmarks.results` measures, docs/results.md and README show.

The parts are in results.yaml, their figures in results.json. A part that was measured at this commit is
skipped, so that the command can be interrupted and repeated.
"""

import asyncio
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
import psutil
import typer

from arena.errors import ConfigError
from arena.files import write_file
from arena.packages import data_of
from arena.processes import cores
from arena.recording import software_versions
from benchmarks import run
from benchmarks.figures import FULL, QUICK, Effort, Figures, number, ratios, spreads
from benchmarks.learning import Learning, sample
from benchmarks.load import load_test, throughput
from benchmarks.peers import CONTENDERS, batch_contender, compare
from docs._generate import table
from evaluation.scale.references import BEST, FLOORS, Reference, apart, floor_of, references, scale_of
from evaluation.suites import get_suite, suite_names
from render import DRAWN_BY
from testbed import CHILDREN, task_named

ROOT = Path(__file__).parents[1]
STORE = ROOT / "benchmarks" / "results.json"
REFERENCE = ROOT.parent / "shared" / "reference"

ABOUT: dict[str, dict[str, Any]] = dict(data_of("benchmarks", "results.yaml"))
"""Title and statistic of every part."""

FRONT: list[list[str]] = ABOUT.pop("front")["figures"]
"""Figures of the README: words, part, table, row and column of each."""

PACKAGES = ("arena-llm", "pybullet", "pybullet-arm64", "numba", "numpy", "miniworld")
"""Packages whose versions are stored."""

BUSY = 0.1
"""Share of cores in use before a timed part, above which its page says that the machine was busy."""


class Cell(NamedTuple):
    """One figure: a cell of a table, with its spread if it has one, and its unit."""

    table: str
    row: str
    column: str
    value: float
    low: float | None = None
    high: float | None = None
    unit: str = ""

    def __str__(self) -> str:
        words = number(self.value)
        if self.low is not None:
            high = "" if self.high is None else f"-{number(self.high)}"
            words += f" [{number(self.low)}{high}]"
        return words + (f" {self.unit}" if self.unit else "")


class Setup(NamedTuple):
    """Setup of a measurement; `notes` collects remarks, such as a missing program."""

    folder: Path
    reference: Path
    effort: Effort
    notes: list[str]


def main(
    only: Annotated[list[str] | None, typer.Option(help="Part to measure; may be repeated.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Also parts measured at this commit.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Rough figures in little time, printed but not stored.")
    ] = False,
    reference: Annotated[Path, typer.Option(help="Folder of the original's material.")] = REFERENCE,
) -> None:
    """Measure all parts that have no figures of this commit, and write results.json after each."""
    if unknown := [name for name in only or () if name not in ABOUT]:
        raise ConfigError(f"--only: got {unknown[0]!r}, expected one of {', '.join(ABOUT)}")
    for part in only or ABOUT:
        found, facts = stored(), provenance()
        if not again and found.get(part, {}).get("facts", {}).get("commit") == facts["commit"]:
            print(f"{part}: measured at {facts['commit']} already", flush=True)
            continue
        if part in ("fidelity", "conformance") and not reference.is_dir():
            print(f"{part}: skipped, no folder {reference}; name one by --reference", flush=True)
            continue
        started, notes = time.monotonic(), list[str]()
        print(f"{part}: measuring, {facts['busy']:.0%} of the cores are busy", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            setup = Setup(Path(folder), reference, QUICK if quick else FULL, notes)
            cells = list(MEASURES[part](setup))
        seconds = round(time.monotonic() - started)
        found[part] = {"facts": facts | {"seconds": seconds, "notes": notes}, "cells": cells}
        print(page_of(part, found), flush=True)
        if not quick:
            write_file(STORE, _as_json(found))


def stored() -> dict[str, Any]:
    """The figures so far, by part."""
    return json.loads(STORE.read_text(encoding="utf-8")) if STORE.is_file() else {}


def _as_json(found: Mapping[str, Any]) -> str:
    """A line for each cell, so that a new measurement is a readable difference."""
    parts = []
    for part in sorted(found, key=list(ABOUT).index):
        cells = ",\n".join(f"  {json.dumps(_rounded(cell))}" for cell in found[part]["cells"])
        parts.append(f'"{part}": {{"facts": {json.dumps(found[part]["facts"])},\n "cells": [\n{cells}]}}')
    return "{" + ",\n".join(parts) + "}\n"


def _rounded(cell: Sequence[Any]) -> list[Any]:
    return [float(f"{each:.6g}") if isinstance(each, float) else each for each in cell]


def provenance() -> dict[str, Any]:
    """Date, commit, machine and versions of what is measured now; + marks a changed source."""
    commit = _git("rev-parse", "--short=8", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!benchmarks", ":!docs")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit + ("+" if changed else ""),
        **machine_facts(),
        **_bits(),
        "busy": psutil.cpu_percent(interval=2.0) / 100,
    }


def machine_facts() -> dict[str, Any]:
    """Processor, cores, system and versions."""
    found = {each.name: each.version for each in distributions() if each.name in PACKAGES}
    return {
        "processor": _processor(),
        "cores": cores(),
        "system": platform.platform(),
        "versions": {"python": platform.python_version(), **found},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())


def _bits() -> dict[str, str]:
    """Versions of physics and pictures: figures of others are marked as older."""
    return {"physics": software_versions()["physics"], "pictures": DRAWN_BY}


def _git(*words: str) -> str:
    return subprocess.check_output(["git", *words], cwd=ROOT, text=True).strip()


def _run(*words: str, cwd: Path = ROOT, **environment: str) -> str:
    """Run a program and return its output. Raises CalledProcessError if it fails."""
    env = os.environ | environment
    return subprocess.run(words, cwd=cwd, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout


def peers(setup: Setup) -> Iterator[Cell]:
    """Frames and steps of one scene, and the ratios to each peer."""
    figures = Figures()
    compare([*CONTENDERS, batch_contender(16)], setup.effort, 0, figures)
    setup.notes.extend(figures.notes)
    for section, frame in figures.frame.groupby("section", sort=False):
        yield from _spread(str(section), "", spreads(frame))
        yield from _spread(str(section), ": times", ratios(frame))


def rl(setup: Setup) -> Iterator[Cell]:
    """Steps and resets of environments, over tasks and passes."""
    figures = Figures()
    tasks = sample([*map(task_named, CHILDREN)], setup.effort.tasks)
    Learning(tasks, setup.effort, 0, figures).measure()
    for section, frame in figures.frame.groupby("section", sort=False):
        yield from _spread(str(section), "", spreads(frame))


def _spread(section: str, words: str, found: pd.DataFrame) -> Iterator[Cell]:
    """Median, lowest and highest; with several subjects also two percentiles over them."""
    for row in found.reset_index().to_dict("records"):
        where = section, row["name"] + words, row["column"]
        yield Cell(*where, row["median"], row["min"], row["max"])
        if row.get("subjects", 1) > 1:
            for share in ("10 %", "90 %"):
                yield Cell(*where[:2], f"{row['column']}, {share}", row[share])


SERVED = {
    "EST, in words": ("est", "Belief([1,1,1,1,1,1,1,1,1]); Trial([1,2]);", ()),
    "arena, pictures of 128 x 128": ("arena", "Go(1);", ("image-size=128", "levels=1")),
}


def serving(setup: Setup) -> Iterator[Cell]:
    """Steps of clients of `arena-llm serve`."""
    for name, (suite, reply, options) in SERVED.items():
        steps, own = asyncio.run(throughput(suite, reply, options, clients=64, seconds=20))
        yield Cell("64 clients", name, "steps per second", steps)
        yield Cell("64 clients", name, "that the server's own processor time allows", own)


def people(setup: Setup) -> Iterator[Cell]:
    """Steps, pictures and delays of people who play."""
    for count in (8, 16):
        players, lost = load_test(count, 40.0)
        row = ("people who play", f"{count} players")
        playing = sum(each.playing_s for each in players)
        yield Cell(*row, "steps per second", sum(each.steps for each in players) / playing)
        yield Cell(*row, "pictures per second", sum(len(each.sizes) for each in players) / playing)
        for column, values in (
            ("age of a picture", [each for player in players for each in player.delay_ms]),
            ("key to picture", [each for player in players for each in player.key_ms]),
        ):
            middle, most = np.percentile(values, (50, 99))
            yield Cell(*row, column, middle, most, None, "ms")
        sizes = [size for player in players for size in player.sizes]
        yield Cell(*row, "side of pictures", float(np.mean(sizes)), None, None, "px")
        yield Cell(*row, "steps lost", lost)


def install(setup: Setup) -> Iterator[Cell]:
    """Time and size of `make eval` in a fresh clone, and of `pip install .`."""
    clone, cache = setup.folder / "clone", setup.folder / "cache"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    fresh = {"XDG_CACHE_HOME": str(cache), "PYTHONPATH": "", "NUMBA_CACHE_DIR": ""}
    started = time.monotonic()
    _run("make", "eval", cwd=clone, **fresh)
    row = "time and size", "`make eval`, the evaluation included"
    yield Cell(*row, "seconds", time.monotonic() - started)
    yield Cell(*row, "MB", _megabytes(clone / ".venv", cache))
    started, venv = time.monotonic(), setup.folder / "venv"
    _run(sys.executable, "-m", "venv", str(venv))
    pip = (str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet")
    _run(*pip, "--constraint", "constraints.txt", ".", cwd=clone)
    row = "time and size", "`pip install .` without extras"
    yield Cell(*row, "seconds", time.monotonic() - started)
    yield Cell(*row, "MB", _megabytes(venv))


def _megabytes(*folders: Path) -> float:
    paths = (path for folder in folders for path in folder.rglob("*") if not path.is_dir())
    return sum(path.lstat().st_size for path in paths) / 1e6


def fidelity(setup: Setup) -> Iterator[Cell]:
    """Agreement with a recording and with pictures of Unity."""
    file = setup.folder / "found.json"
    ours = (sys.executable, "-m", "arena_llm", "fidelity", "--json", str(file))
    _run(*ours, "--trace", str(setup.reference / "unity-tutorial-trace"))
    found = json.loads(file.read_text(encoding="utf-8"))
    health, ending, trace = found["health"], found["ending"], "tutorial recording, version 3.1.3"
    turns = health["agreeing"], None, None, f"of {health['judged']}"
    yield Cell(trace, "turns with the recorded health", "ours", *turns)
    for key in ("total_reward", "tick"):
        for column, values in (("ours", ending), ("recorded", ending["recorded"])):
            yield Cell(trace, f"episode's {key.replace('_', ' ')}", column, values[key])
    yield from _pixels(trace, found["frames"])
    _run(*ours, "--stills", str(setup.reference / "unity-v4" / "frames"))
    yield from _pixels("33 pictures, version 4", json.loads(file.read_text(encoding="utf-8")))


def _pixels(table: str, frames: Sequence[Mapping[str, Any]]) -> Iterator[Cell]:
    names = {"same": "same class", "near": "within 24 levels", "silhouette": "object's outline"}
    for key, words in names.items():
        if values := [each[key] for each in frames if each.get(key) is not None]:
            yield Cell(table, f"pixels: {words}", "ours", float(np.mean(values)), min(values))


def conformance(setup: Setup) -> Iterator[Cell]:
    """Items of each check that agree."""
    names = ("unity-v4", "unity-tutorial-trace", "official-testbed")
    places = [f"--from={setup.reference / name}" for name in names]
    words = (sys.executable, "-m", "arena_llm", "conformance", *places, "--out", str(setup.folder))
    # Status 1 says that a threshold was missed, which the figures show.
    subprocess.run(words, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
    found = pd.DataFrame(json.loads((setup.folder / "results.json").read_text(encoding="utf-8")))
    for check, rows in found.groupby("check", sort=False):
        outcomes = [text for problems in rows["problems"] for text in problems.values()]
        ran = [text for text in outcomes if not str(text).startswith("not run")]
        if ran:
            yield Cell("checks", str(check), "agree", ran.count(""), unit=f"of {len(ran)}")
        yield Cell("checks", str(check), "not run", len(outcomes) - len(ran))


def reference_scores(setup: Setup) -> Iterator[Cell]:
    """Mean scores of every suite's reference agents, and those of chance on the common scale."""
    found: dict[str, list[dict[str, Reference]]] = {}
    for suite in map(get_suite, suite_names()):
        if scale := scale_of(suite):
            rows, groups = references(scale.table), dict[str, dict[str, Reference]]()
            for row in rows:
                if row.conditions == rows[0].conditions:
                    groups.setdefault(row.group, {})[row.agent] = row
            found[suite.title] = [*groups.values()]
    for column in ("groups", *FLOORS, "random", BEST, "random, scaled"):
        for title, rows_of in found.items():
            agent = column.removesuffix(", scaled")
            scores = [each[agent].score for each in rows_of if agent in each]
            if column != agent:
                scores = list(_scaled(rows_of, agent))
            if column == "groups":
                yield Cell("headline score", title, column, len(rows_of))
            elif scores:
                yield Cell("headline score", title, column, float(np.mean(scores)))


def _scaled(groups: Iterable[Mapping[str, Reference]], agent: str) -> Iterator[float]:
    for each in groups:
        floor, best = floor_of([*each.values()]), each.get(BEST)
        if floor and best and agent in each and apart(floor, best):
            yield max(0.0, (each[agent].score - floor.score) / (best.score - floor.score))


def tests(setup: Setup) -> Iterator[Cell]:
    """Number and time of the tests of `make test`, and number of the slow ones."""
    pytest = (sys.executable, "-m", "pytest", "-o", "addopts=", "-q")
    for name, marker in (("`make test`", "not slow"), ("`make test-slow`", "slow")):
        listed = _run(*pytest, "--collect-only", "-m", marker).splitlines()
        yield Cell("tests", name, "tests", sum("::" in line for line in listed))
    started = time.monotonic()
    workers = (f"--numprocesses={cores() + 1}", "--dist=worksteal")
    # As in the Makefile, programs keep what they compile.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([*pytest, "-m", "not slow", *workers], cwd=ROOT, env=kept, check=True)
    yield Cell("tests", "`make test`", "seconds", time.monotonic() - started)


MEASURES: Mapping[str, Callable[[Setup], Iterator[Cell]]] = {
    **{each.__name__: each for each in (peers, rl, serving, people, install, fidelity, conformance, tests)},
    "references": reference_scores,
}
"""Functions that measure, by part."""


def page_of(part: str, figures: Mapping[str, Any] | None = None) -> str:
    """The section of a part in Markdown: its tables, and how and where they were measured."""
    if (found := (figures or stored()).get(part)) is None:
        return f"Not measured yet: `python -m benchmarks.results --only {part}`."
    cells = [Cell(*each) for each in found["cells"]]
    tables = [_table(name, cells) for name in dict.fromkeys(cell.table for cell in cells)]
    notes = "\n".join(f"- {note}" for note in found["facts"]["notes"])
    measured = f"{_measured(part, found['facts'])} It took {found['facts']['seconds']:,} s."
    parts = [ABOUT[part]["statistic"], *tables, notes, measured]
    return "\n\n".join(filter(None, parts))


def _table(name: str, cells: Sequence[Cell]) -> str:
    found = {(cell.row, cell.column): str(cell) for cell in cells if cell.table == name}
    rows = dict.fromkeys(row for row, _ in found)
    columns = dict.fromkeys(column for _, column in found)
    cells_of = ([row, *(found.get((row, column), "") for column in columns)] for row in rows)
    return table([name, *columns], cells_of)


def _measured(part: str, facts: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    words = (
        f"Measured on {facts['date']} at commit {facts['commit']} ({facts['physics']}, {facts['pictures']}; "
        f"{versions}): {facts['processor']}, {facts['cores']} cores ({facts['busy']:.0%} busy before), "
        f"{facts['system']}."
    )
    if ABOUT[part].get("timed") and facts["busy"] > BUSY:
        words += " **The machine was busy: it is faster on an idle one.**"
    if older := [facts[name] for name in _bits() if facts[name] != _bits()[name]]:
        words += f" **Older: measured with {', '.join(older)}.**"
    return words


def front_page() -> str:
    """The README's figures in Markdown, with where each part was measured."""
    found = stored()
    cells = {(part, *each[:3]): Cell(*each) for part in found for each in found[part]["cells"]}
    shown = {tuple(key): words for words, *key in FRONT if tuple(key) in cells}
    if not shown:
        return "Not measured yet."
    facts = dict.fromkeys(_measured(part, found[part]["facts"]) for part, *_ in shown)
    rows = [[str(cells[key]), words] for key, words in shown.items()]
    return "\n\n".join([table(["measured", ""], rows), *facts])


if __name__ == "__main__":
    run(main, "benchmarks.results")
