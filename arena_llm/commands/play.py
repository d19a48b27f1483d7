"""Command `arena-llm play`."""

import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.errors import ConfigError
from arena.packages import require
from arena.processes import cores
from arena.taskfile.versions import DIFFERENCES
from arena_llm.console import warn
from arena_llm.options import AnimalAI, Lenient, Levels, Preset, Seed, SuiteOption, Testbed
from evaluation.suites import DEFAULT, get_suite
from testbed import Task, find_tasks, parse_levels, task_named

if TYPE_CHECKING:
    from people.play.worker_protocol import View
    from people.store import Store

VIEW_NAMES = "first, top or third"

Host = Annotated[str, typer.Option(help="Network address of the server. Default: this machine only.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port of the server; 0: any free one.")]
Name = Annotated[
    list[str] | None,
    typer.Option(
        help="Host name or address that opens the page; may be repeated. Required with --host 0.0.0.0."
    ),
]
Proxy = Annotated[
    list[str] | None,
    typer.Option(help="Address or network of a forwarding web server on another machine; may be repeated."),
]
Workers = Annotated[int | None, typer.Option(min=1, max=64, help="Worker processes. Default: one per core.")]
Seats = Annotated[
    int | None,
    typer.Option(min=1, max=1000, help="Maximum concurrent players; others wait. Default: 8 per core."),
]
PORT = 8420
Db = Annotated[
    str, typer.Option(help="Database: a file for SQLite, or postgresql://USER:PASSWORD@HOST/NAME.")
]
Open = Annotated[bool, typer.Option("--open/--no-open", help="Page opened in the browser at the start.")]
STORED = "everyone who opens the page can play, and is stored in the database"


def play_command(
    tasks: Annotated[
        list[str] | None,
        typer.Argument(help="Ids or files of tasks, in this order. Default: all of --levels."),
    ] = None,
    levels: Levels = None,
    testbed: Testbed = None,
    scripts: Annotated[
        bool,
        typer.Option("--scripts", help="Typed scripts, Go(..); Turn(..);, and still images, as for a model."),
    ] = False,
    view: Annotated[
        list[str] | None,
        typer.Option(
            help=f"View: {VIEW_NAMES}. If repeated, the key V switches between them; a model has first."
        ),
    ] = None,
    seed: Seed = 0,
    db: Db = "play.db",
    host: Host = "127.0.0.1",
    port: Port = PORT,
    name: Name = None,
    proxy: Proxy = None,
    workers: Workers = None,
    seats: Seats = None,
    open_page: Open = True,
    animal_ai: AnimalAI = "3.1.3",
    lenient: Lenient = False,
    suite: SuiteOption = DEFAULT,
    language: Annotated[str, typer.Option(help="Language of the page: en, de, es or fr.")] = "en",
) -> None:
    """Play tasks in the browser at the original's speed; every episode is stored as a recording."""
    require("people")
    from people.play.app import create_app, create_suite_app
    from people.play.players import Players
    from people.play.task_source import Course, TaskList
    from people.serving import address_of, bound, serve, url_of
    from people.store import Store
    from people.store.database import only_server
    from people.texts import LANGUAGES, base_of, page_texts

    if base_of(language) not in ("en", *LANGUAGES):
        raise ConfigError(f"--language: got {language!r}, expected one of: en, {', '.join(LANGUAGES)}")
    chosen = _tasks(tasks, levels, testbed, animal_ai, lenient)
    views = _views(view, scripts)
    address = address_of(host, port, name or (), proxy or ())
    listener = bound(host, port)
    url, texts = url_of(host, listener, address.names), page_texts(language)

    with Store(db) as store, only_server(store.database):
        ready = _ready(url, len(chosen), store, open_page)
        if scripts:
            course = Course.by_scripts(chosen, {"seed": str(seed), "animal_ai": animal_ai})
            app, closing = create_suite_app(store, course, address.names, texts)
            serve(app, closing, address, listener, ready, STORED)
            return
        players = Players(
            store, TaskList(chosen, seed=seed, views=views), workers=workers or cores(), seats=seats
        )
        app = create_app(players, names=address.names, texts=texts)
        serve(app, players.recorder, address, listener, ready, STORED)


def play_suite_command(
    suite: SuiteOption,
    protocol: Preset = None,
    testbed: Testbed = None,
    db: Db = "play.db",
    host: Host = "127.0.0.1",
    port: Port = PORT,
    name: Name = None,
    proxy: Proxy = None,
    open_page: Open = True,
    **choices: Any,
) -> None:
    """Play tasks of a suite in the browser, by a form instead of a model's replies.

    Choices that only concern a model, such as its temperature, have no effect.
    """
    require("people")
    from people.play.app import create_suite_app
    from people.play.task_source import Course
    from people.serving import address_of, bound, serve, url_of
    from people.store import Store
    from people.store.database import only_server

    course = Course.of(get_suite(suite), choices, testbed, protocol)
    address = address_of(host, port, name or (), proxy or ())
    listener = bound(host, port)
    url = url_of(host, listener, address.names)
    with Store(db) as store, only_server(store.database):
        app, closing = create_suite_app(store, course, address.names)
        ready = _ready(url, len(course.tasks), store, open_page)
        serve(app, closing, address, listener, ready, STORED)


def _ready(url: str, count: int, store: "Store", open_page: bool) -> Callable[[], None]:
    """Print the address, and open the page in the browser."""
    from people.store.database import display_name

    def ready() -> None:
        print(f"Play: {url} ({count} {'task' if count == 1 else 'tasks'})", flush=True)
        print(f"Recordings: {display_name(store.database.url)}; Ctrl-C stops.", flush=True)
        if open_page and not webbrowser.open(url):
            print("No browser could be opened; please open the address yourself.", flush=True)

    return ready


def _tasks(
    names: list[str] | None, levels: str | None, testbed: Path | None, animal_ai: str, lenient: bool
) -> tuple[Task, ...]:
    if names and levels is not None:
        raise ConfigError("--levels selects the tasks; give either --levels or TASKS")
    if names:
        chosen = tuple(task_named(name, testbed, animal_ai, lenient=lenient) for name in names)
        if twice := {task.id for task in chosen if sum(other.id == task.id for other in chosen) > 1}:
            raise ConfigError(f"named twice: {', '.join(sorted(twice))}; name each task once")
    else:
        chosen = find_tasks(parse_levels(levels) if levels else None, testbed, animal_ai, lenient=lenient)
    for task in chosen:
        warn(task.warnings if lenient else ())
        agents = sum(item.name == "Agent" for item in task.spec.items)
        if agents > 1 and DIFFERENCES[task.spec.version].several_agents:
            raise ConfigError(f"{task.id}: the arena has several agents, but a person can drive only one")
    return chosen


def _views(names: list[str] | None, scripts: bool) -> "tuple[View, ...]":
    from people.play.worker_protocol import VIEWS

    wrong = [name for name in names or () if name not in VIEWS]
    if wrong:
        raise ConfigError(f"--view: got {wrong[0]!r}, expected {VIEW_NAMES}")
    if scripts and names and names != ["first"]:
        raise ConfigError("--scripts shows the images that a model gets: the view must be first")
    by_name: dict[str, View] = {view: view for view in VIEWS}
    return tuple(dict.fromkeys(by_name[name] for name in names or ["first"]))
