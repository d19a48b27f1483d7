"""The `arena-llm dataset` command."""

import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import ConfigError, EvaluationError
from arena_llm.console import INTERRUPTED, progress_bar
from arena_llm.options import EngineName, EngineOption, RayAddress, open_engine

if TYPE_CHECKING:
    from arena.parallel import Engine
    from llm_control.finetuning.folder import Plan
    from llm_control.prompts import PromptSet

_SHOWN = 20
"""How many problems of a checked data set are printed."""


def dataset_command(
    out: Annotated[Path, typer.Option(help="Folder of the data set.")],
    size: Annotated[int | None, typer.Option(min=1, help="Number of examples.")] = None,
    seed: Annotated[int, typer.Option(help="Example i depends on this and i only.")] = 0,
    format: Annotated[str, typer.Option(help="openai, anthropic, google or sharegpt.")] = "openai",
    image_uri: Annotated[
        str, typer.Option(help="For google: where the folder will be, such as gs://bucket/arena.")
    ] = "",
    prompt: Annotated[Path | None, typer.Option(help="Text file that replaces the system prompt.")] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; as many as there are cores where left out.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; examine a data set, status 1 where it is wrong.")
    ] = False,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: RayAddress = None,
) -> None:
    """Write training examples: pictures of random arenas, and the ideal reply to each."""
    from llm_control.prompts import prompt_set

    prompts = prompt_set(prompt)
    plan = None if check else _plan(size, seed, format, image_uri, prompts)
    with open_engine(engine, ray_address, jobs) as spread:
        if plan is None:
            _check(out, prompts, spread)
        else:
            _write(out, plan, spread)


def _plan(size: int | None, seed: int, format: str, image_uri: str, prompts: "PromptSet") -> "Plan":
    from llm_control.finetuning import Format
    from llm_control.finetuning.folder import Plan

    if size is None:
        raise ConfigError("--size: how many examples? For example: --size 1000")
    if format not in tuple(Format):
        raise ConfigError(f"--format: got {format!r}, expected one of: {', '.join(Format)}")
    if (format == Format.GOOGLE) is not bool(image_uri):
        raise ConfigError(
            "--format google needs --image-uri: its lines name the pictures by where they will be, such as "
            "gs://bucket/arena; the other formats take none"
        )
    return Plan(size, seed, Format(format), prompts, image_uri)


def _write(folder: Path, plan: "Plan", engine: "Engine") -> None:
    from arena.parallel import in_order
    from llm_control.finetuning.folder import add, begin, finish, write_example
    from llm_control.finetuning.formats import LARGEST_OPENAI, Format

    if plan.format is Format.OPENAI and plan.size > LARGEST_OPENAI:
        print(f"Note: OpenAI takes at most {LARGEST_OPENAI} examples in one file.", file=sys.stderr)
    done = first = begin(folder, plan)
    if first:
        print(f"{folder}: {first} of {plan.size} examples are there already.")
    began, data = time.monotonic(), 0
    missing = range(first, plan.size)
    jobs = min(engine.jobs, len(missing)) or 1
    work = in_order(partial(write_example, plan=plan), missing, jobs, engine, "example {}".format)
    try:
        with closing(work), closing(add(folder, work)) as written, progress_bar() as bar:
            for size in bar.track(written, total=plan.size, completed=first, description="examples"):
                done, data = done + 1, data + size
    except KeyboardInterrupt:
        print(f"Stopped after {done} of {plan.size} examples; the same command goes on.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    counts = finish(folder, plan)
    rate = (done - first) / max(time.monotonic() - began, 1e-9)
    if done > first:
        print(f"{done - first} examples, {rate:.1f} per second, {data / 1e6:.1f} MB of lines.")
    for name, values in counts.items():
        print(f"{name}: " + ", ".join(f"{count} {value}" for value, count in values.items()))
    print(f"Data set: {folder}")


def _check(folder: Path, prompts: "PromptSet", engine: "Engine") -> None:
    from arena.parallel import in_order
    from llm_control.finetuning.check import problem, rows, rules_of

    rules, size = rules_of(folder, prompts)
    problems = []
    jobs = min(engine.jobs, size)
    work = in_order(
        partial(problem, rules=rules), rows(rules, size), jobs, engine, lambda row: f"line {row.number + 1}"
    )
    try:
        with closing(work), progress_bar() as bar:
            problems = [p for p in bar.track(work, total=size, description="checking") if p is not None]
    except KeyboardInterrupt:
        print("Stopped; nothing was changed.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    for text in problems[:_SHOWN]:
        print(text)
    if problems:
        raise EvaluationError(f"{folder}: {len(problems)} of {size} examples are not as they should be")
    print(f"{size} examples: every line is whole, every reply does in its arena what it says.")
