"""`python -m tests.fuzz.calling SEED CASES FOLDER` makes wrong calls of all commands, each in a fork."""

import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LONGEST_S = 60.0
"""Seconds after which a call is ended."""

WRONG_S = 10.0
"""Seconds of the processor in which a call must be refused."""

WRONG = [
    "", " ", "-1", "0", "1e400", "nan", "999999999999999999999", "x", "é\U0001f43c", "a=b", "1-", "1-99",
    "%s", "/dev/null", "/proc/none/x", ".", "..", "absent.yaml", "absent/absent", "pipe", "bad.yaml",
    "bad.eval", "bad.json", "~", "{}", "[[", "--", "-", "x" * 5000, "01-01-99", "arena/absent", "openai/",
    "policy:bad.json",
]  # fmt: skip
WORKING = {"play", "serve", "doctor", "atlas"}
"""Commands that work long if nothing is wrong; they get an option that they do not have."""


def commands() -> list[tuple[list[str], Any]]:
    """Every command by the words that name it."""
    import typer

    from arena_llm.cli import app

    return list(_below(typer.main.get_command(app), []))


def _below(command: Any, words: list[str]) -> Iterator[tuple[list[str], Any]]:
    yield words, command
    for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
        yield from _below(command.get_command(None, name), [*words, name])


def wrong_call(rng: random.Random, words: list[str], command: Any) -> list[str]:
    """A call with up to three options or arguments, all with values that fit few of them."""
    given: list[str] = []
    for parameter in rng.sample(command.params, min(len(command.params), rng.randint(1, 3))):
        named = [option for option in parameter.opts if option.startswith("-") and option != "--help"]
        value = rng.choice(WRONG)
        given += [rng.choice(named), value] if named else [value]
    if WORKING & set(words) or rng.random() < 0.2:
        given.insert(rng.randint(0, len(given)), rng.choice(["--no-such", "-Z", "--help=1"]))
    return [*words, *given]


def outcome(arguments: list[str], folder: Path) -> tuple[int, str, float]:
    """Status (-1: over time), output and processor time of a call in a fork."""
    said = folder / "said.txt"
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        _call(arguments, said)
    status = None
    while status is None and time.monotonic() - started < LONGEST_S:
        done, found, used = os.wait4(child, os.WNOHANG)
        status = os.waitstatus_to_exitcode(found) if done else time.sleep(0.01)
    if status is None:
        os.killpg(child, 9)
        _, _, used = os.wait4(child, 0)
    took = used.ru_utime + used.ru_stime
    return -1 if status is None else status, said.read_text(errors="replace"), took


def _call(arguments: list[str], said: Path) -> None:
    from arena_llm.cli import main

    os.setsid()
    with said.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.argv = ["arena-llm", *arguments]
    status = 99
    try:
        main()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1 if end.code else 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def main(seed: int, cases: int, folder: Path) -> None:
    rng = random.Random(seed)
    os.chdir(folder)
    os.mkfifo("pipe")
    for name in ("bad.yaml", "bad.eval", "bad.json"):
        Path(name).write_bytes(b"{\x00[")
    counts: Counter[str] = Counter()
    known, failures, slowest = commands(), [], 0.0
    for _ in range(cases):
        arguments = wrong_call(rng, *rng.choice(known))
        status, said, took = outcome(arguments, folder)
        # With status 0 the values were right after all, and the command has worked.
        slowest = max(slowest, took if status else 0.0)
        if status and took > WRONG_S:
            failures.append(f"{[each[:60] for each in arguments]}: {took:.1f} s: {said[-500:]}")
        counts[f"status {status}"] += 1
        if status not in (0, 1, 2) or "Traceback" in said:
            failures.append(f"{[each[:60] for each in arguments]}: status {status}: {said[-1500:]}")
    print(json.dumps({"cases": cases, **counts, "slowest": round(slowest, 1), "failures": failures}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
