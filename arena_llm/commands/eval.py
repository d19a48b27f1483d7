"""The command `arena-llm eval`."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from arena.errors import ConfigError, EvaluationError
from arena_llm.engine_option import EngineName, EngineOption, RayAddress, opened
from arena_llm.protocol_options import show_protocol, with_protocol_options
from arena_llm.status import INTERRUPTED

Testbed = Annotated[
    Path | None, typer.Option(help="Folder of task files; the shipped battery where left out.")
]
LogDir = Annotated[Path, typer.Option(help="Folder for logs; finished episodes are there at once.")]
Out = Annotated[Path | None, typer.Option(help="Folder for the report; beside the log where left out.")]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="With --engine ray: processes that play; as many as cores where left out."),
]
PlanFile = Annotated[
    Path | None, typer.Option(help="File to write the plan to before the run, or with an earlier plan.")
]
RunSeconds = Annotated[float | None, typer.Option(min=0, help="The same in seconds of this command.")]


@with_protocol_options
def evaluate_command(
    model: Annotated[
        str | None,
        typer.Option(help="gpt-*, claude-*, gemini-*, any provider/model, arena/pixels, or policy:FILE."),
    ] = None,
    protocol: Annotated[
        str | None, typer.Option(help="A preset such as paper-experiment-1, or a file NAME.yaml.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Print every choice and where it comes from; play nothing.")
    ] = False,
    testbed: Testbed = None,
    prompt: Annotated[Path | None, typer.Option(help="Text file that replaces the system prompt.")] = None,
    log_dir: LogDir = Path("logs"),
    out: Out = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the unfinished run of this command.")
    ] = False,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="US dollars after which the run begins no further episode.")
    ] = None,
    max_tokens_run: Annotated[
        int | None, typer.Option(min=0, help="The same in tokens, sent and received.")
    ] = None,
    time_limit_run: RunSeconds = None,
    prices: Annotated[Path | None, typer.Option(help="YAML file of prices, over the shipped ones.")] = None,
    plan: PlanFile = None,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: RayAddress = None,
    jobs: Jobs = None,
    **choices: Any,
) -> None:
    """Evaluate a model on tasks, and compare it with children and the 2019 competition."""
    from evaluation.evaluate import Request
    from evaluation.generation.budget import Caps
    from evaluation.generation.prices import price_note
    from evaluation.models import full_name

    request = Request(model or "", testbed, prompt, protocol, choices)
    caps = Caps(max_tokens_run, max_cost, time_limit_run)
    console = Console()
    if show:
        _show(console, request)
    elif model is None:
        raise typer.BadParameter(
            "give one, for example --model arena/pixels; or --show", param_hint="--model"
        )
    else:
        _say_without_effect(console, request)
        notes = _planned(console, plan, request) if plan else {}
        notes["prices"] = price_note(full_name(model), prices)
        if max_cost is not None or request.effective().protocol.max_cost_per_episode is not None:
            console.print(notes["prices"], soft_wrap=True, markup=False, highlight=False)
        _check_engine(request, engine, jobs)
        with opened(engine, ray_address, jobs) as spread:
            run = {"resume": resume, "caps": caps, "prices": prices, "notes": notes}
            _evaluate(console, request, log_dir, out, **run, **_where(spread))


def _check_engine(request: Any, engine: EngineName, jobs: int | None) -> None:
    """Refuse what would have no effect."""
    if jobs and engine is EngineName.LOCAL:
        raise ConfigError("--jobs: without --engine ray, episodes are played in one process")
    if request.policy and engine is not EngineName.LOCAL:
        raise ConfigError(
            f"--engine {engine.value}: a policy's episodes are played by processes of this machine; "
            "leave it out, or use arena-llm baseline --agent policy:FILE --engine ray"
        )


def _where(engine: Any) -> dict[str, Any]:
    """Where episodes are played, for `evaluate`: elsewhere with Ray only."""
    place = engine.episodes()
    return {"place": place, "at_once": engine.jobs if place else 1}


def _say_without_effect(console: Console, request: Any) -> None:
    """Name a preset's choices that a policy does not heed."""
    from llm_control.acting import without_effect

    if request.policy and (names := without_effect(request.protocol)):
        console.print(f"Without effect on a policy: {', '.join(names)} of {request.protocol}", soft_wrap=True)


def _planned(console: Console, plan: Path, request: Any) -> dict[str, Any]:
    """What the log keeps of a plan; deviations are said before anything is spent."""
    from evaluation.plan import deviations, plan_of, settle_plan

    planned, done = settle_plan(plan, request), plan_of(request)
    found = list(deviations(planned, done))
    for each in found:
        console.print(f"Deviates from {plan}: {each}", soft_wrap=True, markup=False)
    return {"plan": dict(planned), "done": done}


def _show(console: Console, request: Any) -> None:
    given = request.effective()
    named = {"model": request.model, "testbed": request.folder, "prompt": request.prompt}
    more = {name: (str(value), "option") for name, value in named.items() if value}
    show_protocol(Console(width=max(console.width, 110)), given, more)


def _evaluate(console: Console, request: Any, log_dir: Path, out: Path | None, **run: Any) -> None:
    from evaluation.evaluate import evaluate
    from evaluation.results import results_frame
    from report.summary import write_report

    try:
        result = evaluate(request, log_dir, display="rich" if console.is_terminal else "plain", **run)
    except KeyboardInterrupt:
        print(
            f"Stopped. Finished episodes are kept in {log_dir}; the same command with --resume goes on.",
            file=sys.stderr,
        )
        raise typer.Exit(INTERRUPTED) from None
    results = results_frame(result.rows)
    original = request.folder is not None
    title = f"{result.facts['model']} in the arena"
    folder = out or result.log.with_suffix("")
    facts = {**result.facts, "prices": run["notes"]["prices"]}
    files = write_report(results, folder, title=title, facts=facts, same_layouts=original)
    _summarise(console, results, original)
    console.print(f"Report: {files.page}", soft_wrap=True)
    failed = int(results["error"].notna().sum())
    if failed:
        first = results["error"].dropna().iloc[0]
        raise EvaluationError(
            f"{failed} of {len(results)} episodes have no score (the first: {first}); "
            "the same command with --resume plays them again"
        )


def _summarise(console: Console, results: Any, original: bool) -> None:
    from report.comparison import compare_levels, layouts_note, levels_table

    console.print(levels_table(compare_levels(results, same_layouts=original)))
    console.print(layouts_note(original))
