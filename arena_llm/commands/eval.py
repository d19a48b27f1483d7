"""The command `arena-llm eval`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from arena.errors import ConfigError, EvaluationError
from arena_llm.engine_option import EngineName, EngineOption, RayAddress, opened
from arena_llm.status import INTERRUPTED
from arena_llm.suite_options import SuiteOption, show_choices
from evaluation.suites import DEFAULT

if TYPE_CHECKING:
    from evaluation.request import EvalRequest

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
    suite: SuiteOption = DEFAULT,
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
    """Evaluate a model on the tasks of a suite, and report the results."""
    from evaluation.generation.budget import RunLimits
    from evaluation.generation.prices import price_note
    from evaluation.models import full_name
    from evaluation.request import EvalRequest
    from evaluation.suites import get_suite

    request = EvalRequest(get_suite(suite), model or "", testbed, prompt, protocol, choices)
    limits = RunLimits(max_tokens_run, max_cost, time_limit_run)
    console = Console()
    if show:
        _show(console, request)
        return
    if model is None:
        raise typer.BadParameter(
            "give one, for example --model arena/pixels; or --show", param_hint="--model"
        )
    if names := request.without_effect():
        console.print(f"Without effect on this agent: {', '.join(names)} of {protocol}", soft_wrap=True)
    notes = _planned(console, plan, request) if plan else {}
    notes["prices"] = price_note(full_name(request.suite, model), prices)
    if max_cost is not None or request.effective.choices.max_cost_per_episode is not None:
        console.print(notes["prices"], soft_wrap=True, markup=False, highlight=False)
    if jobs and engine is EngineName.LOCAL:
        raise ConfigError(
            "--jobs: only --engine ray takes it; without Ray, episodes are played in one process"
        )
    with opened(engine, ray_address, jobs) as spread:
        run = {"resume": resume, "limits": limits, "prices": prices, "notes": notes, "engine": spread}
        _evaluate(console, request, log_dir, out, **run)


def _planned(console: Console, plan: Path, request: "EvalRequest") -> dict[str, Any]:
    """What the log keeps of a plan; deviations are said before anything is spent."""
    from evaluation.plan import deviations, settle_plan

    planned, done = settle_plan(plan, request), request.plan()
    for each in deviations(planned, done):
        console.print(f"Deviates from {plan}: {each}", soft_wrap=True, markup=False)
    return {"plan": dict(planned), "done": done}


def _show(console: Console, request: "EvalRequest") -> None:
    named = {"model": request.model, "testbed": request.folder, "prompt": request.prompt}
    more = {name: (str(value), "option") for name, value in named.items() if value}
    show_choices(Console(width=max(console.width, 110)), request.effective, more)


def _evaluate(console: Console, request: "EvalRequest", log_dir: Path, out: Path | None, **run: Any) -> None:
    from evaluation.evaluate import evaluate
    from evaluation.results import results_frame
    from report.summary import write_report

    try:
        log = evaluate(request, log_dir, display="rich" if console.is_terminal else "plain", **run)
    except KeyboardInterrupt:
        print(
            f"Stopped. Finished episodes are kept in {log_dir}; the same command with --resume goes on.",
            file=sys.stderr,
        )
        raise typer.Exit(INTERRUPTED) from None
    results = results_frame(log.results())
    original = request.folder is not None
    title = f"{log.model} in the arena"
    folder = out or log.path.with_suffix("")
    facts = {"model": log.model, "prices": run["notes"]["prices"], "log": log.path.name}
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
