"""Command `arena-llm eval`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table

from arena.errors import ConfigError, EvaluationError
from arena.files import check_output_folder
from arena_llm import options
from arena_llm.commands.report import report_logs
from arena_llm.console import line_console, stoppable, wide_console
from arena_llm.interrupts import work_begins
from evaluation.capabilities import prompts_of, remarks_of
from evaluation.generation.prices import price_note
from evaluation.request import EvalRequest, deviations, full_name, settle_plan
from evaluation.suites import DEFAULT, get_suite

if TYPE_CHECKING:
    import pandas as pd

    from arena_llm.sweep import Sweep
    from evaluation.log.run import RunLog

Out = Annotated[Path | None, typer.Option(help="Folder for the report. Default: next to the log.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Processes with --engine ray. Default: one per core.")]
PlanFile = Annotated[Path | None, typer.Option(help="Plan file: created if missing, else compared.")]
SweepOption = Annotated[
    str | None,
    typer.Option(help="CHOICE=VALUE,VALUE: one run per value, in one report. Limits hold for all runs."),
]
RunSeconds = Annotated[float | None, typer.Option(min=0, help="Time limit of this command, in seconds.")]


def eval_command(
    model: Annotated[
        str | None,
        typer.Option(help="Model: gpt-*, claude-*, gemini-*, provider/model, arena/pixels, or policy:FILE."),
    ] = None,
    protocol: options.Preset = None,
    suite: options.SuiteOption = DEFAULT,
    show: Annotated[bool, typer.Option("--show", help="Print effective choices and exit.")] = False,
    testbed: options.Testbed = None,
    prompt: options.Prompt = None,
    prompts: options.Prompts = None,
    log_dir: options.LogDir = Path("logs"),
    out: Out = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continuation of an unfinished run.")] = False,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Cost limit in US dollars; an episode starts only within it.")
    ] = None,
    max_tokens_run: Annotated[
        int | None, typer.Option(min=0, help="Limit of tokens, sent and received.")
    ] = None,
    time_limit_run: RunSeconds = None,
    prices: options.Prices = None,
    plan: PlanFile = None,
    sweep: SweepOption = None,
    max_samples: Annotated[int | None, typer.Option(min=1, help="Maximum concurrent episodes.")] = None,
    max_connections: Annotated[int | None, typer.Option(min=1, help="Maximum concurrent requests.")] = None,
    engine: options.EngineOption = options.EngineName.LOCAL,
    ray_address: options.RayAddress = None,
    jobs: Jobs = None,
    **choices: Any,
) -> None:
    """Evaluate a model on the tasks of a suite, and report the results."""
    request = EvalRequest(get_suite(suite), model or "", testbed, prompt, protocol, choices, prompts)
    if sweep and plan:
        raise ConfigError("--plan: it is the plan of one run; leave it out with --sweep")
    if not (show or model):
        raise typer.BadParameter(
            "give one, for example --model arena/pixels; or --show", param_hint="--model"
        )
    if not show:
        check_output_folder(out)
        if jobs and engine is options.EngineName.LOCAL:
            raise ConfigError(
                "--jobs: only --engine ray takes it; without Ray, episodes are played in one process"
            )
        if not sweep:
            request.refuse_early()

    from evaluation.estimate import estimate, request_warnings
    from evaluation.generation.budget import RunLimits

    limits = RunLimits(max_tokens_run, max_cost, time_limit_run)
    swept = None
    if sweep:
        from arena_llm.sweep import sweep_of

        swept = sweep_of(sweep, request)
    requests = list(swept.requests.values()) if swept else [request]
    if show:
        for each in requests:
            _show(each)
        return
    if names := request.without_effect():
        line_console().print(f"Ignored for this agent: {', '.join(names)} of {protocol}")
    notes = _plan_notes(plan, request) if plan else {}
    notes["prices"] = price_note(full_name(request.suite, request.model), prices, folders=False)
    if max_cost is not None or request.effective.choices.max_cost_per_episode is not None:
        line_console().print(price_note(full_name(request.suite, request.model), prices))
    most = [(each, found) for each in requests if (found := estimate(each, prices)) is not None]
    warnings = [
        warning
        for each, found in most
        for warning in request_warnings(found.model, each.effective.choices, found.most_images)
    ]
    for warning in dict.fromkeys(warnings):
        line_console().print(warning)
    with options.open_engine(engine, ray_address, jobs) as opened:
        run = {"resume": resume, "limits": limits, "prices": prices, "notes": notes, "engine": opened}
        parallel = {"max_samples": max_samples, "max_connections": max_connections}
        _evaluate(request, swept, log_dir, out, **run, **parallel)


def _plan_notes(plan: Path, request: EvalRequest) -> dict[str, Any]:
    """Return the plan's notes for the log; print deviations before anything is spent."""
    planned, done = settle_plan(plan, request), request.plan()
    for deviation in deviations(planned, done):
        line_console().print(f"Deviates from {plan}: {deviation}")
    return {"plan": dict(planned), "done": done}


def _show(request: EvalRequest) -> None:
    """Print every effective choice and its origin.

    Raises ConfigError for options that a run would refuse; a preset may lack what they are to name.
    """
    given, missing = request.effective, _missing(request)
    table = Table("choice", Column("value", overflow="fold"), "from", "meaning")
    if given.preset is not None:
        table.title = f"{given.preset.name}: {given.preset.description}"
    named = {"model": request.model, "testbed": request.folder, "prompt": request.prompt}
    named["prompts"] = request.texts
    for name, value in named.items():
        if value:
            table.add_row(name, str(value), "option", "")
    for name, value, origin, meaning in given.rows():
        table.add_row(name, value, origin, meaning, style=None if origin == "default" else "bold")
    wide_console(110).print(table)
    for fault in missing.values():
        line_console().print(f"Incomplete: {fault}. So far:")
    prompts = prompts_of(request.suite) if "prompts" in missing else request.prompts
    for remark in remarks_of(request.suite, given.choices, prompts, request.protocol):
        line_console().print(remark)


def _missing(request: EvalRequest) -> dict[str, str]:
    """Find what a preset lacks, tasks or prompts; raises ConfigError if an option is the cause."""
    preset = EvalRequest(request.suite, request.model, protocol=request.protocol)
    missing = {}
    # Reading the tasks takes seconds, and a preset's own are there.
    for name in ["tasks", "prompts"] if request.folder or request.choices else ["prompts"]:
        fault = _fault(request, name)
        if fault is not None and str(fault) != str(_fault(preset, name)):
            raise fault
        if fault is not None:
            missing[name] = str(fault)
    return missing


def _fault(request: EvalRequest, name: str) -> ConfigError | None:
    """Explain why a request has no tasks or no prompts, by name; None if it has."""
    try:
        getattr(request, name)
    except ConfigError as error:
        return error
    return None


def _evaluate(
    request: EvalRequest, swept: "Sweep | None", log_dir: Path, out: Path | None, **run: Any
) -> None:
    from evaluation.evaluate import evaluate
    from report.files import read_cards
    from report.tables import headline_table, headlines, prices_table, rates_table, scaled_lines

    console = Console()
    run["display"] = "rich" if console.is_terminal else "plain"
    work_begins()
    said = f"Stopped. Finished episodes are kept in {log_dir}; the same command with --resume continues."
    with stoppable(said):
        if swept:
            from arena_llm.sweep import play_sweep

            logs, beside = list(play_sweep(swept, log_dir, **run)), log_dir / swept.folder
        else:
            logs = [evaluate(request, log_dir, **run)]
            beside = logs[0].path.with_suffix("")
    suite = logs[0].suite
    written = report_logs(logs, out or beside, None, frames=True)
    console.print(headline_table(headlines(written.results, suite.headline)).terminal("All tasks"))
    console.print(rates_table(written.rates.table, suite.group_name, *written.rates.notes[:1]))
    for text in scaled_lines(written.scaled):
        console.print(text, markup=False, highlight=False)
    if swept:
        wide_console(110).print(prices_table(read_cards(written.page.parent)).terminal("Tokens and prices"))
    console.print(f"Report: {written.page}", soft_wrap=True)
    _refuse_missing(logs, written.results)


def _refuse_missing(logs: "Sequence[RunLog]", results: "pd.DataFrame") -> None:
    """Raise EvaluationError, with remedies, if episodes have no verdict."""
    missing = []
    for log in logs:
        errors = results[results["agent"] == log.agent]["error"].dropna()
        if not len(errors):
            continue
        again = log.planned - log.finished
        remedy = (
            f"the same command with --resume plays {again} of them again"
            if again
            else "they were ended without a verdict, and --resume would not play them again"
        )
        missing.append(
            f"{log.agent + ': ' if len(logs) > 1 else ''}{log.cap}{len(errors)} of {log.planned} episodes "
            f"have no score (the first: {errors.iloc[0]}); {remedy}"
        )
    if missing:
        raise EvaluationError("\n".join(missing))
