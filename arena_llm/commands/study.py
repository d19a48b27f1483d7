"""Command `arena-llm study`."""

import secrets
import tempfile
from functools import partial
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import ConfigError
from arena.files import check_output_folder, read_text
from arena.packages import require
from arena.processes import cores
from arena_llm.commands.play import PORT, Host, Name, Port, Proxy, Seats, Workers
from arena_llm.console import stoppable
from arena_llm.interrupts import work_begins
from arena_llm.options import LogDir, Prices, Testbed

if TYPE_CHECKING:
    from people.serving import Address
    from people.study.config import Participants, Study
    from people.study.plan import Plan

TOKEN_BYTES = 32
AGENTS = "Agents in the place of people (--agent)"


def study_command(
    config: Annotated[Path | None, typer.Argument(help="Study file; --example prints one.")] = None,
    db: Annotated[
        str | None,
        typer.Option(
            help="Database: a file for SQLite, or postgresql://USER@HOST/NAME. Default: NAME.db of the study."
        ),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Description of the study, nothing else.")] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Commented example of a study file, printed.")
    ] = False,
    testbed: Testbed = None,
    host: Host = "127.0.0.1",
    port: Port = PORT,
    name: Name = None,
    proxy: Proxy = None,
    workers: Workers = None,
    seats: Seats = None,
    links: Annotated[
        Path | None, typer.Option(help="File of ids, one per line; prints a signed link for each.")
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(help="Address that participants open, for --links. Default: that of --host and --port."),
    ] = None,
    simulate: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            help="Number of simulated participants, who run through the study quickly; their data are "
            "exported. With --db they are added as test data.",
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="Model or offline agent as participant, as `eval --model`; may be repeated.",
            rich_help_panel=AGENTS,
        ),
    ] = None,
    participants: Annotated[
        int | None,
        typer.Option(min=1, max=999, help="Participants per agent. Default: 1.", rich_help_panel=AGENTS),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Cost limit per agent, in US dollars.", rich_help_panel=AGENTS)
    ] = None,
    prices: Prices = None,
    log_dir: LogDir = Path("logs"),
    limit: Annotated[
        float, typer.Option(min=0.1, help="Minutes after which a simulated participant leaves the study.")
    ] = 30.0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the data of --simulate. Default: NAME-simulated.")
    ] = None,
) -> None:
    """Run a study with people or agents: consent, practice, tasks, questionnaires, completion."""
    if config is not None:
        # Said before anything large is imported.
        read_text(config)
    require("people")
    from people.serving import address_of
    from people.study.load import EXAMPLE
    from people.study.plan import load_plan

    if example:
        print(EXAMPLE.read_text(encoding="utf-8"), end="")
        return
    if config is None:
        raise ConfigError("no study given; `arena-llm study --example > study.yaml` writes one")
    plan = load_plan(config, testbed)
    if simulate is not None:
        _simulate(plan, db, simulate, limit, out or Path(f"{plan.study.name}-simulated"), workers)
        return
    db = db or f"{plan.study.name}.db"
    if links is not None:
        _print_links(plan, db, links, url or f"http://{host}:{port}/")
        return
    for line in _summary(plan):
        print(line, flush=True)
    if agent:
        _play(plan, db, agent, participants or 1, check, log_dir, max_cost, prices)
    elif participants or max_cost is not None:
        raise ConfigError("--participants and --max-cost are those of agents; name one by --agent")
    elif not check:
        _serve(plan, db, address_of(host, port, name or (), proxy or ()), workers, seats)


def _play(
    plan: "Plan", db: str, names: list[str], participants: int, check: bool, log_dir: Path,
    max_cost: float | None, prices: Path | None,
) -> None:  # fmt: skip
    """Let agents go through the study."""
    from arena_llm.study_agents import FOR_PEOPLE, left_out, play_study, study_agent
    from evaluation.generation.budget import RunLimits
    from people.store import Store
    from people.store.database import only_server

    agents = [study_agent(plan, name) for name in dict.fromkeys(names)]
    print(f"Agents are not given what is for people only: {FOR_PEOPLE}.")
    for sentence in (each for agent in agents for each in left_out(plan, agent)):
        print(sentence)
    if check:
        return
    work_begins()
    kept = f"Stopped. What was finished is in {db}; the same command continues."
    with Store(db) as store, only_server(store.database), stoppable(kept):
        limits = RunLimits(cost=max_cost)
        play_study(plan, store, agents, participants, log_dir, limits, prices, partial(print, flush=True))
    print(f"Data: {db}")


def _print_links(plan: "Plan", db: str, file: Path, url: str) -> None:
    """Print ids and signed links as CSV."""
    from people.store import Store
    from people.study.links import read_ids, signed_links

    if plan.study.participants.from_ != "link":
        given = plan.study.participants.from_
        raise ConfigError(f"{plan.source}: participants.from: got {given!r}, but --links needs from: link")
    if not url.startswith(("http://", "https://")):
        raise ConfigError(
            f"--url: got {url!r}, expected an address such as https://study.university.example/"
        )
    ids = read_ids(file)
    with Store(db) as store:
        links = signed_links(store, plan.study, ids, f"{url.removesuffix('/')}/")
    print(",".join(links[0]))
    for link in links:
        print(",".join(link.values()))


def _simulate(
    plan: "Plan", db: str | None, participants: int, minutes: float, out: Path, workers: int | None
) -> None:
    """Run simulated participants on a real server, by default with a temporary database."""
    from people.simulation.simulate import SPEED, simulate
    from people.store import Store
    from people.store.database import only_server
    from people.store.export import export

    check_output_folder(out)
    for line in _summary(plan):
        print(line)
    print(f"{participants} simulated participants, at {SPEED:g} times the speed:", flush=True)
    tell, temporary = partial(print, flush=True), tempfile.TemporaryDirectory(prefix="arena-simulation-")
    with temporary as folder, Store(db or f"{folder}/study.db") as store, only_server(store.database):
        simulate(plan, store, participants, limit_s=60 * minutes, workers=workers, report=tell)
        done = export(store, plan.study.name, out, bids=True, test=True)
    print(f"{out}: {done.summary()}; codebook.md explains every column")


def _serve(plan: "Plan", db: str, address: "Address", workers: int | None, seats: int | None) -> None:
    from people.play.players import Players
    from people.serving import bound, serve, url_of
    from people.store import Store
    from people.store.database import display_name, only_server
    from people.study.app import create_study_app
    from people.study.config import SIGNATURE
    from people.study.flow import StudyTaskSource
    from people.study.server import start_or_resume

    with Store(db) as store, only_server(store.database):
        started = start_or_resume(store, plan)
        listener = bound(address.host, address.port)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        players = Players(store, StudyTaskSource(plan), workers=workers or cores(), seats=seats)
        app = create_study_app(plan, players, store, token, names=address.names)

        def ready() -> None:
            url, people = url_of(address.host, listener, address.names), plan.study.participants
            signed = () if people.unsigned else (SIGNATURE,)
            parameters = "&".join(f"{each}=..." for each in (*people.parameters, *signed))
            print(f"Participants: {url}{'?' + parameters if people.from_ == 'link' else ''}")
            print(f"Experimenter: {url}experimenter?token={token}")
            plural = "" if started.in_progress == 1 else "s"
            resumed = (
                f" ({started.in_progress} participant{plural} in progress)" if started.in_progress else ""
            )
            if started.changed:
                print(f"Changed, version {started.version}: {', '.join(started.changed)}")
            print(f"Data: {display_name(store.database.url)}{resumed}; Ctrl-C stops.", flush=True)

        advice = "put a web server with HTTPS in front of it unless the network is your own"
        serve(app, players.recorder, address, listener, ready, advice)


def _identity(people: "Participants") -> str:
    """Describe how identity is protected, if the experimenter has to act."""
    from people.study.links import is_guessable

    if people.from_ == "link" and not people.unsigned:
        return (
            "Only signed links are accepted, which --links prints. If the site that sends participants makes "
            "the links, as Prolific does, write unsigned: true below participants."
        )
    risk = "anyone who guesses one can continue as that participant"
    if people.from_ == "link":
        return f"Warning: links without a signature are accepted: use ids that cannot be guessed, as {risk}."
    if guessable := [code for code in people.codes if is_guessable(code)]:
        return f"Warning: codes such as {guessable[0]} can be guessed, and {risk}."
    return ""


def _translation(study: "Study") -> str:
    """Count the texts that are not in the study's language; "" for English."""
    from people.study.plan import untranslated
    from people.texts import base_of, translation

    if base_of(study.language) == "en":
        return ""
    if not (missing := untranslated(study)):
        return f"Language {study.language}: all texts of the pages are translated."
    bundled = "" if translation(study.language) else "no translation is included, and "
    return (
        f"Warning: language {study.language}: {bundled}{len(missing)} texts of the pages are English, such "
        f"as {', '.join(missing[:3])}. Translate them in the study's file."
    )


def _rules(plan: "Plan") -> str:
    """Name the questions that decide who takes part."""
    pages = plan.study.questionnaires
    checks = sum(bool(item.expect) for page in pages for item in page.items)
    screens = [f"{page.name}.{item}" for page in pages for item in page.screen]
    attention = f", attention checks: {checks}" if checks else ""
    return attention + (f", screening by {', '.join(screens)}" if screens else "")


def _blocks(plan: "Plan") -> list[str]:
    """Describe the blocks of the test: order, breaks, feedback, and tasks if there are several."""
    from people.play.task_source import SuiteTask
    from people.study.flow import rows_of

    lines = []
    for block in plan.study.test:
        tasks, every = plan.tasks[block.name], block.break_every
        orders = {
            "listed": "as listed",
            "random": f"random by {block.by}",
            "latin-square": f"{rows_of(block, tasks)} orders by {block.by}",
        }
        several = f"Block {block.name}: {len(tasks)} tasks; order" if len(plan.study.test) > 1 else "Order"
        breaks = (len(tasks) - 1) // every if every else 0
        feedback = "yes" if block.feedback else "no"
        lines.append(f"{several}: {orders[block.order]}; breaks: {breaks}; feedback: {feedback}.")
        lines += [f"{block.name}: {task.course}." for task in tasks[:1] if isinstance(task, SuiteTask)]
    if len(lines) > 1:
        lines.append(f"Order of blocks: {plan.study.block_order}.")
    return lines


def _picture(study: "Study") -> str:
    """Describe the view of arenas, and whether it is checked."""
    if (picture := study.picture) is None:
        return "Picture: as good as each connection permits; no check before the first task."
    fixed = picture.level
    shown = f"{fixed.size} px, quality {fixed.quality}" if fixed else "as good as each connection permits"
    failed = {"end": "others do not take part", "continue": "others take part, too"}[picture.if_failed]
    return (
        f"Picture: {shown}; checked for {picture.seconds:g} s: {picture.frames_per_s:g} pictures per second "
        f"and 95 % of keys seen within {picture.key_ms:g} ms in one of {picture.tries} tries; {failed}."
    )


def _participants(plan: "Plan") -> str:
    """Describe how participants arrive, what they see, and the duration."""
    study, people = plan.study, plan.study.participants
    counts = {name: len(plan.tasks[name]) for name in ("tutorial", "practice") if name in plan.tasks}
    warm_up = ", ".join(f"{count} {name}" for name, count in counts.items())
    sources = {"link": f"a link with {people.id}", "free": "any code", "codes": "listed codes"}
    listed = f" ({len(people.codes)})" if people.codes else ""
    return (
        f"Participants come with {sources[people.from_]}{listed}, play by {study.mode}, and see "
        f"{len(plan.test)} test tasks{f' after {warm_up}' if warm_up else ''}; {_duration(*plan.minutes())}."
    )


def _summary(plan: "Plan") -> list[str]:
    """Yield a description of the study, line by line."""
    from people.study.plan import doubts

    study = plan.study
    questions = sum(len(page.items) for page in study.questionnaires)
    lines = [
        f"{study.name}: {study.title}",
        _participants(plan),
        *_blocks(plan),
        f"Questions: {questions} on {len(study.questionnaires)} pages{_rules(plan)}.",
    ]
    if study.mode == "keys":
        lines.append(_picture(study))
    for name, condition in plan.conditions.items():
        lines.append(
            f"Condition {name}: {', '.join(study.conditions[name]) or 'as above'}; "
            f"{len(condition.test)} test tasks; {_duration(*condition.minutes())}."
        )
    if plan.media:
        size = sum(path.stat().st_size for path in plan.media.values()) / 1e6
        lines.append(f"Pictures and sounds: {len(plan.media)} files, {size:.1f} MB.")
    if translated := _translation(study):
        lines.append(translated)
    if warning := _identity(study.participants):
        lines.append(warning)
    if not study.completion.link and study.participants.from_ == "link":
        lines.append("No completion link: participants are not sent back to where they came from.")
    return lines + [f"Note: {doubt}" for doubt in doubts(plan)]


def _duration(about: float, most: float) -> str:
    """Format the estimated and the longest duration in minutes, rounded up."""
    minutes = f"{ceil(about)} minute{'' if about <= 1 else 's'}"
    return f"about {minutes}, at most {ceil(most)}" if ceil(most) > ceil(about) else f"at most {minutes}"
