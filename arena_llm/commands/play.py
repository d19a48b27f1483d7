"""The `arena-llm play` command."""

import sys
import webbrowser
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import ConfigError
from arena_llm.options import AnimalAI

if TYPE_CHECKING:
    from human_data.people.play.wire import View
    from testbed import Task

PORT = 8420
VIEW_NAMES = "first, top or third"


def play_command(
    tasks: Annotated[
        list[str] | None,
        typer.Argument(help="Tasks' ids or files, in this order; all of --levels where left out."),
    ] = None,
    levels: Annotated[str | None, typer.Option(help="Levels to play, such as 1-3 or 1,4.")] = None,
    testbed: Annotated[
        Path | None, typer.Option(help="Folder of task files; the shipped battery where left out.")
    ] = None,
    scripts: Annotated[
        bool,
        typer.Option(
            "--scripts", help="Play by typing Go(..); Turn(..); with still pictures, as a model does."
        ),
    ] = False,
    view: Annotated[
        list[str] | None,
        typer.Option(
            help=f"View: {VIEW_NAMES}. Repeated: the key V changes between them; a model has first."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the arenas' randomness.")] = 0,
    db: Annotated[
        str, typer.Option(help="Database: a file for SQLite, or postgresql://USER:PASSWORD@HOST/NAME.")
    ] = "play.db",
    host: Annotated[
        str, typer.Option(help="Address to serve on; this machine only where left out.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any that is free.")] = PORT,
    workers: Annotated[
        int | None, typer.Option(min=1, max=64, help="Processes; as many as processors where left out.")
    ] = None,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    animal_ai: AnimalAI = "3.1.3",
) -> None:
    """Play tasks in the browser, at the original's pace; each episode is kept as a recording."""
    from human_data.people.extra import require

    require()
    from human_data.people.play.app import create_app
    from human_data.people.play.course import TaskList
    from human_data.people.play.players import Players
    from human_data.people.play.security import LOOPBACK
    from human_data.people.play.serve import bound, serve
    from human_data.people.store import Store

    chosen = _tasks(tasks, levels, testbed, animal_ai)
    course = TaskList(chosen, seed=seed, mode="scripts" if scripts else "keys", views=_views(view, scripts))
    listener = bound(host, port)
    with Store(db if "://" in db else f"sqlite:///{db}") as store:
        players = Players(store, course, workers=workers or _cores(), scripts=scripts)
        app = create_app(players, names=LOOPBACK if host in LOOPBACK else None)
        with closing(players.records), suppress(KeyboardInterrupt):
            serve(app, listener, lambda: _ready(host, listener.getsockname()[1], db, len(chosen), open_page))
    print("Stopped. Who comes back goes on where they were.", flush=True)


def _tasks(
    names: list[str] | None, levels: str | None, testbed: Path | None, animal_ai: str
) -> "tuple[Task, ...]":
    from arena.taskfile.versions import DIFFERENCES
    from testbed import find_tasks, parse_levels, task_named

    if names and levels is not None:
        raise ConfigError("--levels chooses the tasks; leave it out, or the TASKs")
    if names:
        chosen = tuple(task_named(name, testbed, animal_ai) for name in names)
        if twice := {task.id for task in chosen if sum(other.id == task.id for other in chosen) > 1}:
            raise ConfigError(f"named twice: {', '.join(sorted(twice))}; name each task once")
    else:
        chosen = find_tasks(parse_levels(levels) if levels else None, testbed, animal_ai)
    for task in chosen:
        agents = sum(item.name == "Agent" for item in task.spec.items)
        if agents > 1 and DIFFERENCES[task.spec.version].several_agents:
            raise ConfigError(f"{task.id}: the arena has several agents, expected one; a person drives one")
    return chosen


def _views(names: list[str] | None, scripts: bool) -> "tuple[View, ...]":
    from human_data.people.play.wire import VIEWS

    wrong = [name for name in names or () if name not in VIEWS]
    if wrong:
        raise ConfigError(f"--view: got {wrong[0]!r}, expected {VIEW_NAMES}")
    if scripts and names and names != ["first"]:
        raise ConfigError("--scripts shows the pictures that a model gets: the view is first")
    by_name: dict[str, View] = {view: view for view in VIEWS}
    return tuple(dict.fromkeys(by_name[name] for name in names or ["first"]))


def _cores() -> int:
    from arena.processes import cores

    return cores()


def _ready(host: str, port: int, db: str, tasks: int, open_page: bool) -> None:
    from human_data.people.play.security import LOOPBACK

    name = f"[{host}]" if ":" in host else host
    url = f"http://{'localhost' if host in ('0.0.0.0', '::') else name}:{port}/"
    if host not in LOOPBACK:
        print(
            f"Warning: {host} is reached from other machines, without encryption; everybody who can open the "
            "page can play, and is written into the database.",
            file=sys.stderr,
        )
    print(f"Play: {url} ({tasks} {'task' if tasks == 1 else 'tasks'})", flush=True)
    print(f"Recordings: {_shown(db)}; Ctrl-C stops.", flush=True)
    if open_page and not webbrowser.open(url):
        print("No browser could be opened from here; open the address yourself.", flush=True)


def _shown(db: str) -> str:
    if "://" not in db:
        return db
    from sqlalchemy import make_url

    return make_url(db).render_as_string()
