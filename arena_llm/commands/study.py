"""The `arena-llm study` command."""

import secrets
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import ConfigError
from arena_llm.commands.play import PORT

if TYPE_CHECKING:
    from human_data.people.study.plan import Plan

TOKEN_BYTES = 32


def study_command(
    config: Annotated[Path | None, typer.Argument(help="The study's file; --example writes one.")] = None,
    db: Annotated[
        str | None,
        typer.Option(
            help="Database: a file for SQLite, or postgresql://USER@HOST/NAME; NAME.db where left out."
        ),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Say what the study will be, and stop.")] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Print a commented study that runs as it is.")
    ] = False,
    host: Annotated[
        str, typer.Option(help="Address to serve on; this machine only where left out.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any that is free.")] = PORT,
    name: Annotated[
        list[str] | None,
        typer.Option(help="Host name to answer to as well, where a web server in front passes requests on."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=64, help="Processes; as many as processors where left out.")
    ] = None,
) -> None:
    """Run a study with people: consent, practice, tasks, questionnaires, completion."""
    from human_data.people.extra import require

    require()
    from human_data.people.study.plan import load_plan
    from human_data.people.study.read import EXAMPLE

    if example:
        print(EXAMPLE.read_text(encoding="utf-8"), end="")
        return
    if config is None:
        raise ConfigError("which study? Give its file; `arena-llm study --example > study.yaml` writes one")
    plan = load_plan(config)
    for line in _summary(plan):
        print(line, flush=True)
    if not check:
        _serve(plan, db or f"{plan.study.name}.db", host, port, tuple(name or ()), workers)


def _serve(plan: "Plan", db: str, host: str, port: int, names: tuple[str, ...], workers: int | None) -> None:
    from arena.processes import cores
    from human_data.people.play.players import Players
    from human_data.people.play.security import LOOPBACK
    from human_data.people.play.serve import bound, serve
    from human_data.people.store import Store
    from human_data.people.study.app import create_study_app
    from human_data.people.study.continuity import begin_or_go_on
    from human_data.people.study.course import StudyCourse

    with Store(db) as store:
        on_their_way = begin_or_go_on(store, plan)
        listener = bound(host, port)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        players = Players(
            store, StudyCourse(plan), workers=workers or cores(), scripts=plan.study.mode == "scripts"
        )
        answers_to = (*LOOPBACK, *names) if host in LOOPBACK or names else None
        app = create_study_app(plan, players, store, token, names=answers_to)
        with closing(players.records), suppress(KeyboardInterrupt):
            serve(
                app,
                listener,
                lambda: _ready(plan, host, listener.getsockname()[1], store, token, on_their_way),
            )
    print("Stopped. Who comes back goes on where they were.", flush=True)


def _ready(plan: "Plan", host: str, port: int, store: object, token: str, on_their_way: int) -> None:
    from human_data.people.play.security import LOOPBACK
    from human_data.people.store import Store
    from human_data.people.store.errors import shown

    assert isinstance(store, Store)
    name = f"[{host}]" if ":" in host else host
    url = f"http://{'localhost' if host in ('0.0.0.0', '::') else name}:{port}/"
    if host not in LOOPBACK:
        print(
            f"Warning: {host} is reached from other machines, without encryption; put a web server with "
            "HTTPS in front of it where it is not a network of your own.",
            file=sys.stderr,
        )
    print(f"Participants: {url}{_parameters(plan)}")
    print(f"Experimenter: {url}experimenter?token={token}")
    resumed = f" ({on_their_way} people are on their way)" if on_their_way else ""
    print(f"Data: {shown(store.database.url)}{resumed}; Ctrl-C stops.", flush=True)


def _parameters(plan: "Plan") -> str:
    people = plan.study.participants
    return (
        "?" + "&".join(f"{name}=..." for name in (people.id, *people.keep)) if people.from_ == "link" else ""
    )


def _summary(plan: "Plan") -> list[str]:
    """What the study will be, line by line."""
    from human_data.people.study.order import rows_of

    study, test = plan.study, plan.study.test
    about, most = plan.minutes()
    parts = {part: len(tasks) for part, tasks in plan.tasks.items()}
    counted = ", ".join(f"{count} {part}" for part, count in parts.items() if part != "test")
    rows = rows_of(test, plan.test)
    orders = {
        "listed": "as listed",
        "random": f"random by {test.by}",
        "latin-square": f"{rows} orders by {test.by}",
    }
    questions = sum(len(page.items) for page in study.questionnaires)
    sources = {"link": f"a link with {study.participants.id}", "free": "any code", "codes": "listed codes"}
    listed = f" ({len(study.participants.codes)})" if study.participants.codes else ""
    lines = [
        f"{study.name}: {study.title}",
        f"Participants come with {sources[study.participants.from_]}{listed}, play by {study.mode}, and see "
        f"{len(plan.test)} test tasks{f' after {counted}' if counted else ''}; about {about:.0f} minutes, "
        f"at most {most:.0f}.",
        f"Order: {orders[test.order]}; breaks: {plan.breaks()}; feedback: {_yes(test.feedback)}; "
        f"questions: {questions} on {len(study.questionnaires)} pages.",
    ]
    if not study.completion.link and study.participants.from_ == "link":
        lines.append("No completion link: people are not sent back to where they came from.")
    return lines


def _yes(value: bool) -> str:
    return "yes" if value else "no"
