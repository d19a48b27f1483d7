"""Command `arena-llm dataset`."""

import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.errors import ConfigError
from arena.files import check_output_folder
from arena.packages import require
from arena.processes import Engine, in_order
from arena_llm import options
from arena_llm.console import progress_bar, stoppable
from evaluation.opened import Opened
from evaluation.suites import DEFAULT, get_suite

if TYPE_CHECKING:
    from evaluation.data_set import DatasetSpec


def dataset_command(
    agent: Annotated[str, typer.Option(help="Offline agent of the suite, such as ideal or oracle.")],
    size: Annotated[int | None, typer.Option(min=1, help="Number of episodes.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the data set.")] = None,
    minari: Annotated[
        str | None, typer.Option(metavar="NAME-v0", help="Minari data set of observations and actions.")
    ] = None,
    env: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Environment option for --minari.")
    ] = None,
    testbed: options.Testbed = None,
    suite: options.SuiteOption = DEFAULT,
    split: Annotated[str, typer.Option(help="train, or test: the split of evaluations.")] = "train",
    format: Annotated[str, typer.Option(help="Format: openai, anthropic, google or sharegpt.")] = "openai",
    image_uri: Annotated[
        str, typer.Option(help="URI of the folder for google, such as gs://bucket/arena.")
    ] = "",
    protocol: options.Preset = None,
    jobs: options.Jobs = None,
    engine: options.EngineOption = options.EngineName.LOCAL,
    ray_address: options.RayAddress = None,
    **choices: Any,
) -> None:
    """Write transcripts of an agent's episodes, for fine-tuning, or episodes for offline learning."""
    if minari is not None:
        if out or image_uri or format != "openai":
            raise ConfigError(
                "--out, --format and --image-uri are for transcripts; leave them or --minari out"
            )
        require("minari")
        from arena_llm.minari_data import agent_named, episodes, sensor_options

        defaults = get_suite(suite).choices.player_defaults
        opened = Opened.named(suite, protocol=protocol, **defaults | choices)
        agent, sensors = agent_named(agent, opened.suite), sensor_options(env or ())
        work = list(episodes(opened, agent, split, size, testbed))
        _warn(split)
        with options.open_engine(engine, ray_address, jobs) as started:
            _write_minari(minari, opened, agent, sensors, work, started)
        return
    if env or testbed:
        raise ConfigError("--env and --testbed are for --minari; add it or leave them out")
    if size is None or out is None:
        raise ConfigError("transcripts need --size and --out; --minari NAME-v0 writes for offline learning")
    from evaluation.data_set import DatasetSpec, Format

    if format not in tuple(Format):
        raise ConfigError(f"--format: got {format!r}, expected one of: {', '.join(Format)}")
    if image_uri and format != Format.GOOGLE:
        raise ConfigError("--image-uri: only --format google names pictures by a URI; leave it out")
    opened = Opened.named(suite, protocol=protocol, **choices)
    if format == Format.GOOGLE and opened.choices.shows_images and not image_uri:
        raise ConfigError("--format google needs --image-uri, such as gs://bucket/arena, for its pictures")
    spec = DatasetSpec(opened, agent, split, size, Format(format), image_uri)
    check_output_folder(out)
    spec.check()
    _warn(split)
    with options.open_engine(engine, ray_address, jobs) as started:
        _write(out, spec, started)


def _warn(split: str) -> None:
    if split == "test":
        print(
            "Warning: evaluations play the test split; they cannot measure a model trained on it.",
            file=sys.stderr,
        )


def _write(folder: Path, spec: "DatasetSpec", engine: Engine) -> None:
    from evaluation.data_set import append, finish, make_row, start

    done = first = start(folder, spec)
    if first:
        print(f"{folder}: {first} of {spec.size} episodes already exist.")
    started, written_bytes = time.monotonic(), 0
    jobs = min(engine.jobs, spec.size - first) or 1
    work = in_order(partial(make_row, spec=spec), spec.missing(first), jobs, engine, lambda each: each[1])
    with (
        stoppable(lambda: f"Stopped after {done} of {spec.size} episodes; the same command continues."),
        closing(work),
        closing(append(folder, spec, work)) as written,
        progress_bar() as bar,
    ):
        for size in bar.track(written, total=spec.size, completed=first, description="episodes"):
            done, written_bytes = done + 1, written_bytes + size
    rate = (done - first) / max(time.monotonic() - started, 1e-9)
    if done > first:
        print(f"{done - first} episodes, {rate:.1f} per second, {written_bytes / 1e6:.1f} MB of lines.")
    print(f"Mean score of {spec.agent}: {finish(folder, spec)}. Data set: {folder}")


def _write_minari(
    name: str, opened: Opened, agent: str, sensors: dict[str, Any], episodes: list[Any], engine: Engine
) -> None:
    from arena_llm.minari_data import check_name, make, write

    check_name(name)
    jobs = min(engine.jobs, len(episodes)) or 1
    work = in_order(partial(make, opened=opened, agent=agent), episodes, jobs, engine)
    with stoppable("Stopped; no data set was written."):
        with closing(work), progress_bar() as bar:
            made = list(bar.track(work, total=len(episodes), description="episodes"))
        write(name, made, agent, sensors)
    print(f"{len(made)} episodes: minari.load_dataset({name!r})")
