"""The command `python -m benchmarks.references SUITE`: measure a suite's reference agents."""

from typing import Annotated

import typer

from arena.errors import ConfigError
from arena.files import write_file
from benchmarks import run
from evaluation.choices.effective import effective
from evaluation.scale.measure import measure, roles
from evaluation.scale.references import Reference, as_csv, references, scale_of
from evaluation.suites import get_suite


def main(
    suite: Annotated[str, typer.Argument(help="Name of the suite.")],
    agent: Annotated[
        list[str] | None, typer.Option(help="Only this role, such as silent; may be repeated.")
    ] = None,
    group: Annotated[
        list[str] | None, typer.Option(help="Only this group of the scale; may be repeated.")
    ] = None,
    choices: Annotated[
        list[str] | None,
        typer.Option("--set", help="Choice, such as seeds=20 for more worlds; may be repeated."),
    ] = None,
) -> None:
    """Measure the scores of a suite's reference agents, and write its table."""
    found = get_suite(suite)
    scale = scale_of(found)
    if scale is None:
        raise ConfigError(f"suite {suite}: it has no module `references` with a scale")
    read = effective(found, None, dict(each.partition("=")[::2] for each in choices or ()))
    given = {name: getattr(read.choices, name) for name, origin in read.origins.items() if origin == "option"}
    scale = scale._replace(settings=tuple({**setting, **given} for setting in scale.settings))
    chosen = agent or list(roles(scale))
    if unknown := [name for name in chosen if name not in roles(scale)]:
        raise ConfigError(f"--agent: got {unknown[0]!r}, expected one of {', '.join(roles(scale))}")
    found.check(f"{suite}/{chosen[0]}", (), found.choices())
    rows = {_key(row): row for row in references(scale.table)}
    for row in measure(found, scale, chosen, group or ()):
        place = f"{row.conditions:40} {row.group:24} {row.agent:11}"
        print(f"{place} {row.score:.3f} ± {row.half:.3f}", flush=True)
        rows[_key(row)] = row
        # After each group, so that an interrupted measurement is not lost.
        write_file(scale.table, as_csv(rows.values()))


def _key(row: Reference) -> tuple[str, str, str]:
    return row.conditions, row.group, row.agent


if __name__ == "__main__":
    run(main, "benchmarks.references")
