"""Checks of `arena-llm conformance`: their material, their results, and the page."""

import csv
import io
import json
import math
import os
import pickle
import re
import subprocess
import tarfile
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import yaml

from arena import ACTIONS, Episode, load_text
from arena.action import TICKS_PER_STEP
from arena.animalai import ActionTuple, AnimalAIEnvironment
from arena.csv_log import COLUMNS
from arena.errors import ArenaError, EvaluationError
from arena.files import MAX_DATA_BYTES, read_bytes, read_text, write_file
from arena.packages import data_of
from arena_llm.fidelity.foreign import NOT_RUN, OLDER, copied, run, run_tests
from arena_llm.fidelity.pictures import SEED, Pair, compare_pictures, compare_stills
from arena_llm.fidelity.trace import read_trace, replay
from evaluation.suites import DEFAULT, get_suite
from llm_control.paper.convert import HISTORIES, convert, program_example
from llm_control.script import parse
from render import png

_TABLES = data_of(__package__, "conformance.yaml")
CHECKS: Mapping[str, tuple[float | None, str]] = _TABLES["checks"]
"""The least share that must agree, None for a check that is not judged, and why; in the order of the page."""

KNOWN: Sequence[tuple[str, str]] = _TABLES["known"]
"""Reasons that are known, each with a pattern of the differences that it explains."""

_SHOWN, _WIDTH = 5, 220


class Result(NamedTuple):
    """Result of a check in a folder, for a version of Animal-AI.

    `problems` has all that was compared by its name, with nothing, what differs, or `NOT_RUN` and why. `note`
    says how it was compared.
    """

    check: str
    version: str
    source: str
    problems: Mapping[str, str]
    note: str = ""

    @property
    def counts(self) -> tuple[int, int]:
        """Count agreeing and compared items."""
        judged = [text for text in self.problems.values() if not text.startswith(NOT_RUN)]
        return judged.count(""), len(judged)

    @property
    def verdict(self) -> str:
        """Verdict: `reached`, `missed`, `not judged` or `not run`. Nothing compared is not agreement."""
        share, (agreeing, of) = CHECKS[self.check][0], self.counts
        judged = "not judged" if share is None else "reached" if agreeing >= share * of else "missed"
        return judged if of else "not run"

    def differences(self) -> list[str]:
        """Describe each difference in a line, with its reason if known."""
        found = [f"{name}: {text}" for name, text in self.problems.items() if text]
        reasons = (
            "; ".join(reason for pattern, reason in KNOWN if re.search(pattern, each)) for each in found
        )
        lines = (" ".join(each.split()).replace("`", "'")[:_WIDTH] for each in found)
        return [f"`{line}` {reason}".rstrip() for line, reason in zip(lines, reasons, strict=True)]


def page(results: Sequence[Result]) -> str:
    """Write the page in Markdown: a table, then each result with method, differences and reasons."""
    lines = [f"# Conformance of arena-llm {metadata.version('arena-llm')}", ""]
    lines += ["| check | version | agree | threshold | result |", "|---|---|---|---|---|"]
    for each in results:
        cells = (
            each.check,
            each.version,
            "{} of {}".format(*each.counts),
            CHECKS[each.check][0],
            each.verdict,
        )
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    for each in results:
        differences = each.differences()
        lines += ["", f"## {each.check}, version {each.version}: {each.verdict}", "", each.source, ""]
        lines += [f"- {text}" for text in (CHECKS[each.check][1], each.note, *differences[:_SHOWN]) if text]
        lines += [f"- and {len(differences) - _SHOWN} more"] * (len(differences) > _SHOWN)
    return "\n".join(lines) + "\n"


STEPS, SCRIPT_S, TASKS, TURNS, MODEL = 200, 60.0, 6, 30, "gpt-4o-2024-05-13"
"""Steps of a task file, seconds of an example script; what LLM-AAI is asked to play, and as which model."""

_RAYS = "CombinedRaycastData"
_PLACED = ("XVelocity", "YVelocity", "ZVelocity", "XPosition", "YPosition", "ZPosition", "Health")
TOLERANCES = {**dict.fromkeys(_PLACED, 0.001), "Reward": 0.0001, _RAYS: 0.000_005}
"""By how much columns of a log may differ: m, m/s, points, shares of a ray's 200 m. Others must be equal."""

_ANGLES = (60, *range(5, 181, 5))
"""Degrees on each side that the rays of a log may span, the original's default first; no log names them."""

Episodes = Sequence[Sequence[Mapping[str, str]]]
"""The lines of each episode of a log by column."""

Body = dict[str, Any]


class Setup(NamedTuple):
    """Version and seed of logs and pictures, and all compared pairs of pictures."""

    version: str
    seed: int | None
    pairs: list[Pair]


def found_in(folder: Path, setup: Setup, patterns: Sequence[str] = ()) -> Iterator[Result]:
    """Run all checks whose material a folder has; with `patterns`, only the checks of these."""
    for name, pattern, up, check in FOUND:
        paths = _below(folder, pattern) if not patterns or pattern in patterns else ()
        for path in sorted({(each, *each.parents)[up] for each in paths}):
            try:
                yield from check(path, setup)
            except (ArenaError, OSError) as error:
                yield Result(name, setup.version, str(path), {path.name: f"{NOT_RUN}{error}"})


def _below(folder: Path, pattern: str) -> list[Path]:
    """List paths outside hidden folders; for an empty pattern the folder itself."""
    paths = folder.rglob(pattern) if pattern else [folder]
    return sorted(p for p in paths if not any(part.startswith(".") for part in p.relative_to(folder).parts))


def _end_to_end(root: Path, setup: Setup) -> Iterator[Result]:
    with copied(root) as copy:
        kept, program = copy.parent / "kept", copy.parent / "build" / "AAI.x86_64"
        kept.mkdir()
        program.parent.mkdir()
        pickles = Counter(path.parent.name for path in root.glob("data/*/*.pickle"))
        platform = max(pickles, key=lambda each: pickles[each], default="linux")
        variables = {"E2E_TEST_PLATFORM": platform, "AAI_EXE_PATH": str(program)}
        found = run_tests(copy, variables=variables, keep=str(kept))
        drawn = {name: text for name, text in found.items() if "screenshot" in name}
        others = {name: text for name, text in found.items() if name not in drawn}
        yield Result("end-to-end tests", "4", str(root), others)
        yield Result("end-to-end tests of pictures", "4", str(root), drawn)
        for config in kept.glob("screenshot_test_config_*.yml"):
            name = config.stem.removeprefix("screenshot_test_config_")
            if (path := root / "data" / platform / f"{name}_screenshot_test.pickle").is_file():
                write_file(kept / f"{name}.png", png((array_of(path) * 255).round().astype(np.uint8)))
                config.rename(kept / f"{name}.yml")
        for result in _pictures(kept, setup):
            yield result._replace(source=f"{root}/data/{platform}")


class _Arrays(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module.startswith("numpy") and name in ("ndarray", "dtype", "_reconstruct", "_frombuffer"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no part of an array")


def array_of(path: Path) -> Any:
    """Read the array of a pickled picture without running code. Raises EvaluationError for other content."""
    try:
        array = _Arrays(io.BytesIO(read_bytes(path, MAX_DATA_BYTES))).load()
        return array.astype(np.float32).reshape(*array.shape[:2], 3)
    except Exception as error:
        raise EvaluationError(f"{path}: expected a pickled picture (H, W, 3): {error}") from None


def _pictures(folder: Path, setup: Setup) -> Iterator[Result]:
    if not any(path.with_suffix(".yml").is_file() for path in folder.glob("*.png")):
        return
    found = compare_stills(folder, setup.version, SEED if setup.seed is None else setup.seed)
    setup.pairs.extend(still.pair for still in found)
    rows = [(*still.pair.match[:3], still.silhouette) for still in found]
    for place, (check, least) in enumerate((("class", 0.98), ("near", 0.97), ("silhouette", 0.9)), start=1):
        values = {str(row[0]): row[place] for row in rows if row[place] is not None}
        yield _at_least(f"pictures: {check}", setup.version, folder, least, values)


def _at_least(check: str, version: str, source: Path, least: float, values: Mapping[str, Any]) -> Result:
    problems = {name: "" if value >= least else f"{value:.3f}" for name, value in values.items()}
    return Result(check, version, str(source), problems, f"mean {np.mean(list(values.values()) or [0]):.3f}")


def _recording(path: Path, setup: Setup) -> Iterator[Result]:
    """Compare a log with ours; of several arenas, take the one with the best agreement."""
    if not path.is_file() or not read_bytes(path, MAX_DATA_BYTES).startswith(",".join(COLUMNS[:9]).encode()):
        return
    theirs = _read_log(path)
    beside = [each for each in (path.with_suffix(".yml"), path.with_suffix(".yaml")) if each.is_file()]
    suite = [each for above in path.parents for each in above.glob("testConfigs/*.yml")]
    arenas = beside or list(path.parent.glob("*.y*ml")) or suite
    if not arenas:
        raise EvaluationError(f"{path}: no arena {path.stem}.yml next to it, and no other in its folder")
    played = {arena: _compared(theirs, _played(arena, setup, theirs, 60)) for arena in arenas}
    arena = max(arenas, key=lambda each: list(played[each].values()).count(""))
    first = {angle: _played(arena, setup, [theirs[0][:1]], angle)[0][0][_RAYS] for angle in _ANGLES}
    angle = min(_ANGLES, key=lambda each: _distance(first[each], theirs[0][0][_RAYS]))
    problems = _compared(theirs, _played(arena, setup, theirs, angle))
    note = f"{arena.name}, seed {setup.seed or 0}, {TICKS_PER_STEP} ticks a decision, rays to {angle} degrees"
    later = {key: text for key, text in problems.items() if not key.startswith("episode 1,")}
    problems = {key: text for key, text in problems.items() if key not in later}
    yield Result("recordings", setup.version, str(path), problems, f"{len(theirs[0])} ticks, {note}")
    if later:
        yield Result("recordings, later episodes", setup.version, str(path), later, note)


def _read_log(path: Path) -> Episodes:
    """Read a log; raises EvaluationError for a line that is broken, or if there are no ticks."""
    episodes: list[list[Mapping[str, str]]] = [[]]
    lines = read_bytes(path, MAX_DATA_BYTES).decode("utf-8", "replace").splitlines()
    for number, cells in enumerate(csv.reader(lines[1:]), start=2):
        if len(cells) == len(COLUMNS) and all(re.match("[012] ", cell) for cell in cells[10:12]):
            episodes[-1].append(dict(zip(COLUMNS, cells, strict=True)))
        elif len(cells) == 1 and cells[0].startswith("Positive Goals Collected"):
            episodes.append([])
        else:
            raise EvaluationError(f"{path}:{number}: expected {len(COLUMNS)} columns; give a whole log")
    if not any(episodes):
        raise EvaluationError(f"{path}: expected the ticks of an episode; the log has none")
    return [episode for episode in episodes if episode]


def _compared(theirs: Episodes, ours: Episodes) -> dict[str, str]:
    """Describe differences by episode and column."""
    problems = {}
    for number, (lines, mine) in enumerate(zip_longest(theirs, ours[: len(theirs)], fillvalue=()), start=1):
        for name in COLUMNS[1:10] + COLUMNS[12:]:
            pairs = zip_longest(lines, mine[: len(lines)], fillvalue={name: ""})
            apart = np.array([_distance(one[name], other[name]) for one, other in pairs])
            wrong = np.flatnonzero(apart > TOLERANCES.get(name, 0))
            most = f"by up to {apart.max():.3g}" if np.isfinite(apart).all() else "as text"
            text = f"{len(wrong)} of {len(lines)} ticks differ {most}, the first is "
            problems[f"episode {number}, {name}"] = text + lines[wrong[0]]["Step"] if len(wrong) else ""
    return problems


def _distance(one: str, other: str) -> float:
    """Measure the largest difference of numbers in two cells; infinite if their texts differ."""
    # Unity names overlapping zones, and what is spawned in one tick, in any order.
    here, there = (sorted(re.split(r": | ?\| ?", text)) if "|" in text else text for text in (one, other))
    try:
        pairs = zip(re.split("[;:]", one), re.split("[;:]", other), strict=True)
        return 0.0 if here == there else max(0.0 if a == b else abs(float(a) - float(b)) for a, b in pairs)
    except ValueError:
        return math.inf


def _played(arena: Path, setup: Setup, theirs: Episodes, angle: int) -> Episodes:
    """Log the same actions here; an action appears in the line after its decision."""
    with tempfile.TemporaryDirectory() as folder:
        log, seen = Path(folder, "log.csv"), theirs[0][0][_RAYS]
        rays: Any = {"useRayCasts": bool(seen), "raysPerSide": seen.count(";") // 2, "rayMaxDegrees": angle}
        given: Any = {"seed": setup.seed or 0, "version": setup.version, "csv_log": log, "useCamera": False}
        env = AnimalAIEnvironment(arenas_configurations=str(arena), **rays, **given)
        name = next(iter(env.behavior_specs))
        for lines in theirs:
            for start in range(0, len(lines), TICKS_PER_STEP):
                action = [int(lines[start : start + 2][-1][column][0]) for column in COLUMNS[10:12]]
                env.set_actions(name, ActionTuple(discrete=np.array([action], np.int32)))
                env.step()
                if len(env.get_steps(name)[1]):
                    break
            else:
                env.reset()
        env.close()
        return _read_log(log)


def _history(root: Path, setup: Setup) -> Iterator[Result]:
    """Convert LLM-AAI's recorded history to a folder for `read_trace`."""
    folder = min(root.glob(HISTORIES)).parent
    example, arenas = program_example(root), _below(root, f"{folder.name}.yaml")
    if not example or not arenas:
        raise EvaluationError(f"{folder}: expected a history of LLM-AAI, and its arena {folder.name}.yaml")
    with copied(folder) as copy:
        write_file(copy / "arena.yaml", read_text(arenas[0]))
        rows, instant = ["turn,script,health_before_script"], ""
        for turn, shown in enumerate(example, start=1):
            for number, data in enumerate(shown.pictures):
                write_file(copy / f"obs-{instant or f'0.{number}'}.jpg", data)
            script = shown.script.strip()
            instant = f"{turn}.{parse(script).steps}"
            rows.append(f'{turn},"{script.replace(chr(34), chr(34) * 2)}",{shown.health or ""}')
        write_file(copy / "trace.csv", "\n".join(rows) + "\n")
        for result in _episode(copy, setup):
            yield result._replace(source=str(folder))


def _episode(folder: Path, setup: Setup) -> Iterator[Result]:
    if not any(folder.glob("obs-*")):
        return
    trace = read_trace(folder)
    played = replay(trace)
    pairs = list(compare_pictures(trace, played))
    setup.pairs.extend(pairs)
    agree = {turn.recorded.turn for turn in played.turns if turn.agrees}
    judged = {turn.turn: f"recorded {turn.health}" for turn in trace.turns if turn.health is not None}
    problems = {f"turn {turn}": "" if turn in agree else text for turn, text in judged.items()}
    yield Result("transcripts: health", "3.1.3", str(folder), problems)
    shares = dict.fromkeys(map(str, trace.pictures), 0.0)
    shares |= {pair.match.name: pair.match.same for pair in pairs}
    yield _at_least("transcripts: pictures", "3.1.3", folder, 0.95, shares)


class _Answer(BaseHTTPRequestHandler):
    """Local server that replies in OpenAI's wire format, and stores the requests."""

    bodies: list[Body]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.bodies.append(body)
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        said = {"role": "assistant", "content": _TABLES["replies"][turn % len(_TABLES["replies"])]}
        reply = {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"]}
        reply["choices"] = [{"index": 0, "message": said, "finish_reason": "stop"}]
        reply["usage"] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(reply).encode())

    def log_message(self, *args: Any) -> None:
        """Print nothing."""


def _program(root: Path, setup: Setup) -> Iterator[Result]:
    """Compare LLM-AAI's program with `arena-llm eval`: same tasks, same replies."""
    files = {path.stem: path for path in _below(root, "data/arena_configs/**/[01][0-9]-*.yaml")}
    names = sorted(files)[:: max(1, len(files) // TASKS)][:TASKS]
    bodies: list[Body] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Answer", (_Answer,), {"bodies": bodies}))
    with copied(root) as copy, server, ExitStack() as stack:
        stack.callback(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address, tasks = f"http://127.0.0.1:{server.server_port}", copy.parent / "tasks"
        for name in names:
            write_file(tasks / f"{name}.yaml", read_text(files[name]))
        _, said = _theirs(copy, address, tasks)
        if not (theirs := _by_episode(bodies)):
            raise EvaluationError(f"{root}: its program asks nothing: {said}")
        bodies.clear()
        _ours(root, tasks, address, names)
        ours = _by_episode(bodies)
    rows: Any = zip_longest(names, theirs, ours, fillvalue=[])
    problems = {str(name): _unlike(one, other) for name, one, other in rows}
    note = f"{sum(map(len, theirs))} requests for {MODEL}: messages, pictures, parameters; {TURNS} turns"
    yield Result("episodes of LLM-AAI", "3.1.3", str(root), problems, f"{note}; the prompts of {root.name}")


def _theirs(copy: Path, address: str, tasks: Path) -> tuple[bool, str]:
    """Run the program with a user's settings."""
    names = ("CLAUDE_API_KEY", "GPT_API_KEY", "GEMINI_API_KEY", "LOG_FOLDER", "ENV_PATH")
    values = dict.fromkeys(names, "none") | {"GPT_API_ENDPOINT": address}
    write_file(copy / "user_settings.py", "".join(f"{name} = {value!r}\n" for name, value in values.items()))
    content = read_text(copy / "options.yaml")
    changed = {"aai_config_path": str(tasks), "max_conversation_turns": TURNS, "watch_agent_interact": False}
    options = yaml.safe_load(content) | changed | {"llm_family": "gpt", "llm_model": MODEL, "aai_seeds": [0]}
    write_file(copy / "options.yaml", yaml.safe_dump(options))
    (copy / "outputs").mkdir(exist_ok=True)
    others = [f"src.llms.{name}" for name in ("claude", "gemini", "recording")]
    return run(copy, "scripts/main.py", empty=others, old_enums=True, defaults=OLDER)


def _ours(root: Path, tasks: Path, address: str, names: Sequence[str]) -> None:
    """Evaluate the local server as a model, as `arena-llm eval` does."""
    from evaluation.evaluate import evaluate
    from evaluation.request import EvalRequest

    texts = convert([root], tasks.parent / "texts").folders[0]
    choices = {"tasks": ",".join(names), "battery": "any", "trials": 1}
    model, suite = f"openai/{MODEL}", get_suite(DEFAULT)
    request = EvalRequest(suite, model, tasks, None, "paper-experiment-1", choices, texts)
    local = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{address}/v1", "NO_PROXY": "127.0.0.1"}
    with patch.dict(os.environ, local):
        evaluate(request, tasks.parent / "logs", max_samples=1, display="none")


def _by_episode(bodies: Sequence[Body]) -> list[list[Body]]:
    """Split requests by episode; the first of each has a single message."""
    starts = [place for place, body in enumerate(bodies) if len(body["messages"]) == 1]
    return [list(bodies[start:end]) for start, end in zip(starts, [*starts[1:], len(bodies)], strict=True)]


def _unlike(one: Sequence[Body], other: Sequence[Body]) -> str:
    both: Any = zip_longest(one, other, fillvalue={})
    for number, (theirs, ours) in enumerate(both, start=1):
        if names := [name for name in {**theirs, **ours} if theirs.get(name) != ours.get(name)]:
            pairs = zip_longest(theirs.get("messages", ()), ours.get("messages", ()))
            message = next((place for place, pair in enumerate(pairs, start=1) if pair[0] != pair[1]), 0)
            return f"request {number} of {len(one)} and {len(other)}: {', '.join(names)}, message {message}"
    return "" if one else "it was not played"


def _python_tests(root: Path, setup: Setup) -> Iterator[Result]:
    tests = [str(path.relative_to(root)) for path in _below(root, "test_*.py")]
    scaffolds = [name for name in tests if "scaffold" in name]
    with copied(root) as copy:
        if others := [name for name in tests if name not in scaffolds]:
            yield Result("tests of animalai", "4", str(root), run_tests(copy, *others))
        if scaffolds:
            ours = run_tests(copy, *scaffolds)
            theirs = run_tests(copy, *scaffolds, own=True)
            unlike = {key: text * (bool(text) != bool(theirs.get(key))) for key, text in ours.items()}
            yield Result("tests of LLM scaffolds", "4", str(root), unlike)


def _examples(folder: Path, setup: Setup) -> Iterator[Result]:
    """Find scripts that import animalai, except tests, the package and LLM-AAI; version 3 as 3.1.3."""
    problems, apart = {}, {"tests", "test", "animalai", "experimentation", "vision"}
    names = [path for path in _below(folder, "*.py") if not apart & {*path.relative_to(folder).parts}]
    texts = {path.relative_to(folder): read_bytes(path).decode("utf-8", "replace") for path in names}
    importing = re.compile(r"^\s*(from|import) animalai", re.M)
    scripts = {name: text for name, text in texts.items() if importing.search(text)}
    if not scripts:
        return
    with copied(folder) as copy:
        for name, text in scripts.items():
            defaults = OLDER if "animalai.envs" in text else {}
            failed, said = run((copy / name).parent, name.name, limit_s=SCRIPT_S, defaults=defaults)
            lacks = NOT_RUN * bool(re.search("No module named '(?!a(nimalai|rena))", said))
            problems[str(name)] = lacks + said if failed else ""
    yield Result("example scripts", "3.1.3, 4", str(folder), problems)


def _task_files(folder: Path, setup: Setup) -> Iterator[Result]:
    found: dict[str, dict[str, str]] = {}
    known = set()
    for version, name, content in _yaml_files(folder):
        if (version, content) not in known and re.search(rb"^(!ArenaConfig|arenas:)", content, re.M):
            known.add((version, content))
            text = content.decode("utf-8-sig", "replace")
            tried = [version] if version else ["4", "4.1", "3.1.3"]
            problems = [_unplayable(text, name, each) for each in tried]
            found.setdefault(version or "any", {})[name] = problems[0] if all(problems) else ""
    for version, files in found.items():
        note = f"each content once; its first arena is played for {STEPS} steps; any: some version plays it"
        yield Result("task files", version, str(folder), files, note)


def _unplayable(text: str, name: str, version: str) -> str:
    """Describe a task file's fault; empty if it can be read and its first arena played."""
    try:
        spec, *_ = load_text(text, name, version).arenas.values()
        with Episode(spec, task_id=Path(name).stem) as episode:
            for number in np.random.default_rng(0).integers(len(ACTIONS), size=STEPS):
                if not episode.done:
                    episode.step(ACTIONS[number])
        return ""
    except ArenaError as error:
        return str(error)


def _yaml_files(folder: Path) -> Iterator[tuple[str, str, bytes]]:
    """Yield version, name and content of YAML files, of all tags of a clone or else as found."""
    tags = _git(folder, "tag").decode().split() if (folder / ".git").exists() else []
    for tag in tags:
        number = re.search(r"(\d+)\.(\d+)", tag)
        major, minor = (int(number[1]), int(number[2])) if number else (0, 0)
        version = {0: "", 3: "3.1.3", 4: "4.1" if minor < 2 else "4"}.get(major, "2" if major < 3 else "4")
        if packed := _git(folder, "archive", tag, ":(glob)**/*.y*ml"):
            with tarfile.open(fileobj=io.BytesIO(packed)) as members:
                for member in members:
                    if member.isfile() and (content := members.extractfile(member)):
                        yield version, f"{tag}:{member.name}", content.read()
    for path in _below(folder, "*.y*ml") if not tags else ():
        if path.is_file():
            yield "", str(path.relative_to(folder)), read_bytes(path, MAX_DATA_BYTES)


def _git(folder: Path, *arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    if done.returncode and b"did not match any files" not in done.stderr:
        raise EvaluationError(f"{folder}: git cannot read it: {done.stderr.decode().strip()}")
    return done.stdout


Check = Callable[[Path, Setup], Iterator[Result]]
FOUND: tuple[tuple[str, str, int, Check], ...] = (
    ("end-to-end tests", "tests/test_screenshots.py", 2, _end_to_end),
    ("pictures: class", "*.png", 1, _pictures),
    ("recordings", "*.csv", 0, _recording),
    ("transcripts: health", "arena.yaml", 1, _episode),
    ("transcripts: health", HISTORIES, 6, _history),
    ("episodes of LLM-AAI", "src/experimentation", 2, _program),
    ("tests of animalai", "animalai/LLM_scaffolds", 2, _python_tests),
    ("example scripts", "", 0, _examples),
    ("task files", "", 0, _task_files),
)
"""Name, pattern of a path in the folder, how far above it the material is, and the check."""

AGAINST = ("*.png", "*.csv")
"""Patterns of what somebody's own runs of Unity leave."""
