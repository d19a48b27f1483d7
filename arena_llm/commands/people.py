"""Commands `arena-llm people`: list, export, analyse and delete data of participants."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from arena.errors import ConfigError
from arena.files import check_output_folder

if TYPE_CHECKING:
    from people.store import Participant, Store

people_app = typer.Typer(help="Data of participants: list, export, analyse, delete.", no_args_is_help=True)

Db = Annotated[
    str,
    typer.Option(
        help="Database file, or postgresql://USER@HOST/NAME; the password may be in the URL, in PGPASSWORD "
        "or in ~/.pgpass."
    ),
]
StudyName = Annotated[str, typer.Option(help="Name of the study.")]


@people_app.command("participants")
def participants_command(
    db: Db, study: Annotated[str | None, typer.Option(help="Name of the study. Default: all.")] = None
) -> None:
    """List participants and their progress."""
    with _opened(db) as store:
        table = Table("study", "participant", "trials", "finished", "passed", "first seen")
        if study:
            store.check_study(study)
        for name in [study] if study else store.studies():
            for person in store.participants(name, test=True):
                table.add_row(*_line(store, person))
    Console().print(table)


@people_app.command("export")
def export_command(
    db: Db,
    study: StudyName,
    out: Annotated[Path, typer.Option(help="Folder for the export; an earlier export is replaced.")],
    format: Annotated[str, typer.Option(help="Format of the tables: csv or parquet.")] = "csv",
    bids: Annotated[bool, typer.Option("--bids", help="Additional folder in the style of BIDS.")] = False,
    test: Annotated[bool, typer.Option("--test", help="Previews and simulated participants, too.")] = False,
) -> None:
    """Write tidy tables with a codebook, and every episode as a recording."""
    check_output_folder(out)
    with _opened(db) as store:
        from people.store.export import export

        done = export(store, study, out, format, bids=bids, test=test)
    print(f"{out}: {done.summary()}; codebook.md explains every column")


@people_app.command("analyse")
def analyse_command(
    study: Annotated[
        str, typer.Argument(help="Folder of an export, or database, with #STUDY if it has several.")
    ],
) -> None:
    """Report the effects that a study's design shows, as analysis.md of an export does."""
    from evaluation.analysis import analysis_files
    from report.comparison.read import studies_at

    if not (found := studies_at([study])):
        raise ConfigError(f"{study}: no study; expected a database (study.db) or the folder of an export")
    for name, results in found.items():
        print(analysis_files(name, results)["analysis.md"])


@people_app.command("delete")
def delete_command(
    db: Db,
    study: StudyName,
    participant: Annotated[str, typer.Argument(help="Code of the participant.")],
    yes: Annotated[bool, typer.Option("--yes", help="No confirmation prompt.")] = False,
) -> None:
    """Delete all data of one participant permanently."""
    with _opened(db) as store:
        store.check_study(study)
        found = [each for each in store.participants(study, test=True) if each.code == participant]
        if found and not yes:
            trials = len(store.trials(found[0].id))
            typer.confirm(f"Delete {participant} of {study} with {trials} trials, for good?", abort=True)
        deleted = store.delete_participant(study, participant)
    counts = ", ".join(f"{count} {name}" for name, count in deleted._asdict().items())
    print(
        f"Deleted: {counts}. Earlier exports and backups still contain them: delete those, and export again."
    )


def _opened(db: str) -> "Store":
    from people.store import Store

    return Store(db, create=False)


def _line(store: "Store", person: "Participant") -> tuple[str, ...]:
    trials = store.trials(person.id)
    seen = datetime.fromtimestamp(person.created_at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    finished = sum(trial.finished_at is not None for trial in trials)
    passed = sum(bool(trial.passed) for trial in trials)
    code = f"{person.code} (test)" if person.test else person.code
    return person.study, code, str(len(trials)), str(finished), str(passed), seen
