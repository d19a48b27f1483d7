"""The command `arena-llm dataset`."""

import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import ConfigError, EvaluationError
from arena.files import check_output_folder
from arena_llm.console import exit_interrupted, progress_bar
from arena_llm.options import EngineName, EngineOption, Jobs, Prompt, RayAddress, open_engine

if TYPE_CHECKING:
    from arena.processes import Engine
    from evaluation.prompts import PromptSet
    from llm_control.training_data.folder import DatasetSpec

_PROBLEMS_SHOWN = 20


def dataset_command(
    out: Annotated[Path, typer.Option(help="Folder of the data set.")],
    size: Annotated[int | None, typer.Option(min=1, help="Number of examples.")] = None,
    seed: Annotated[int, typer.Option(help="Example i depends only on this and i.")] = 0,
    format: Annotated[str, typer.Option(help="openai, anthropic, google or sharegpt.")] = "openai",
    image_uri: Annotated[
        str, typer.Option(help="For google: URI of the folder, such as gs://bucket/arena.")
    ] = "",
    prompt: Prompt = None,
    jobs: Jobs = None,
    check: Annotated[bool, typer.Option("--check", help="Check a data set; status 1 if it fails.")] = False,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: RayAddress = None,
) -> None:
    """Write training examples: pictures of random arenas, and the ideal reply to each."""
    from llm_control.prompts import arena_prompts

    prompts = arena_prompts(prompt)
    check_output_folder(None if check else out)
    spec = None if check else _spec(size, seed, format, image_uri, prompts)
    with open_engine(engine, ray_address, jobs) as opened:
        if spec is None:
            _check(out, prompts, opened)
        else:
            _write(out, spec, opened)


def _spec(size: int | None, seed: int, format: str, image_uri: str, prompts: "PromptSet") -> "DatasetSpec":
    from llm_control.training_data.folder import DatasetSpec, Format

    if size is None:
        raise ConfigError("--size: how many examples? For example: --size 1000")
    if format not in tuple(Format):
        raise ConfigError(f"--format: got {format!r}, expected one of: {', '.join(Format)}")
    if (format == Format.GOOGLE) is not bool(image_uri):
        raise ConfigError(
            "--format google needs --image-uri, such as gs://bucket/arena, to name the pictures by; the "
            "other formats take none"
        )
    return DatasetSpec(size, seed, Format(format), prompts, image_uri)


def _write(folder: Path, spec: "DatasetSpec", engine: "Engine") -> None:
    from arena.processes import in_order
    from llm_control.training_data.folder import LARGEST_OPENAI, Format, append, finish, make_row, start

    if spec.format is Format.OPENAI and spec.size > LARGEST_OPENAI:
        print(f"Note: OpenAI takes at most {LARGEST_OPENAI} examples in one file.", file=sys.stderr)
    done = first = start(folder, spec)
    if first:
        print(f"{folder}: {first} of {spec.size} examples are there already.")
    started, written_bytes = time.monotonic(), 0
    missing = range(first, spec.size)
    jobs = min(engine.jobs, len(missing)) or 1
    work = in_order(partial(make_row, spec=spec), missing, jobs, engine, "example {}".format)
    try:
        with closing(work), closing(append(folder, work)) as written, progress_bar() as bar:
            for size in bar.track(written, total=spec.size, completed=first, description="examples"):
                done, written_bytes = done + 1, written_bytes + size
    except KeyboardInterrupt:
        exit_interrupted(f"Stopped after {done} of {spec.size} examples; the same command continues.")
    counts = finish(folder, spec)
    rate = (done - first) / max(time.monotonic() - started, 1e-9)
    if done > first:
        print(f"{done - first} examples, {rate:.1f} per second, {written_bytes / 1e6:.1f} MB of lines.")
    for name, values in counts.items():
        print(f"{name}: " + ", ".join(f"{count} {value}" for value, count in values.items()))
    print(f"Data set: {folder}")


def _check(folder: Path, prompts: "PromptSet", engine: "Engine") -> None:
    from arena.processes import in_order
    from llm_control.training_data.check import problem, read_rows, read_spec

    spec = read_spec(folder, prompts)
    work = in_order(
        partial(problem, spec=spec),
        read_rows(folder, spec),
        min(engine.jobs, spec.size),
        engine,
        lambda row: f"line {row.number + 1}",
    )
    try:
        with closing(work), progress_bar() as bar:
            problems = [p for p in bar.track(work, total=spec.size, description="checking") if p is not None]
    except KeyboardInterrupt:
        exit_interrupted("Stopped; nothing was changed.")
    for text in problems[:_PROBLEMS_SHOWN]:
        print(text)
    if problems:
        raise EvaluationError(f"{folder}: {len(problems)} of {spec.size} examples have errors")
    print(f"{spec.size} examples: every line is complete, every reply does in its arena what it says.")
