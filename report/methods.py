"""The methods paragraphs and the facts of runs: what logs say of how they came about."""

from evaluation.log.run import RunLog
from evaluation.request import deviations
from evaluation.summary import RunSummary, sent_words
from report.panels import SuiteReport
from report.tables import count


def run_facts(run: RunSummary, suite: SuiteReport) -> dict[str, str]:
    """Model, options, prompt, software and price of a run, in words."""
    log = run.log
    given = {name: value for name, value in log.arguments.items() if value not in (None, False, "")}
    prompt = log.system_prompt_sha256()
    sent = sent_words(run.requests)
    asked = {"sent": sent} if sent else {}
    hashed = {"system prompt (SHA-256)": prompt} if prompt else {}
    prices = log.metadata.get("prices")
    return {
        "model": log.model,
        "answered by": ", ".join(sorted(run.answered_by)) or "nothing",
        **suite.facts(log),
        **({"played through": f"{log.harness}; no prompts or requests of ours"} if log.harness else {}),
        "options": ", ".join(f"{name}={value}" for name, value in given.items()) or "defaults",
        **({} if log.choices.acts else asked | hashed),
        "log": log.path.name,
        **{name: ", ".join(sorted(versions)) for name, versions in run.versions.items()},
        **({"prices": prices} if prices else {}),
    }


def run_paragraph(run: RunSummary, suite: SuiteReport) -> str:
    """How one run was done."""
    log = run.log
    settings = "" if log.choices.acts else _settings(run)
    parts = [_what(run, suite.suite.group_name), suite.methods(log, run.versions), settings]
    return " ".join(filter(None, [*parts, _end(run), plan_sentence(log)]))


def _what(run: RunSummary, group: str) -> str:
    log = run.log
    others = run.answered_by - {log.model, log.model.partition("/")[2]}
    answered = f" (which answered as {', '.join(sorted(others))})" if others else ""
    name = log.agent if log.agent == log.model else f"{log.agent}, that is {log.model}"
    names = [str(name) for name in sorted(run.groups, key=lambda each: (str(type(each)), each)) if name]
    groups = f"{group}{'s' * (len(names) > 1)} {', '.join(names)}" if names else f"no {group}"
    return (
        f"{name}{answered} was evaluated on {count(len(log.task_ids), 'task')} of {groups}, "
        f"{count(log.trials, 'trial')} each, with seed {log.arguments.get('seed', 0)}."
    )


def _settings(run: RunSummary) -> str:
    log = run.log
    own = "The system prompt was the user's own. " if log.arguments.get("prompt") else ""
    if log.arguments.get("prompts"):
        texts = log.prompts()
        source = f", those of {texts.layout.source}," if texts.layout.source else ""
        own += f"The texts were given in a folder{source} whose SHA-256 as a whole is {texts.sha256}. "
    prompt = log.system_prompt_sha256()
    hashed = f"The SHA-256 of the system prompt as sent is {prompt}. " if prompt else ""
    sent = sent_words(run.requests)
    return own + hashed + (f"Sent with each request: {sent}." if sent else "")


def _end(run: RunSummary) -> str:
    log = run.log
    inspect = log.header.eval.packages.get("inspect_ai", "of unknown version")
    state = "completely" if log.complete else f"in part ({log.finished} of {log.planned} trials have a score)"
    unjudged = run.without_verdict.total()
    missing = f" {count(unjudged, 'trial')} had no verdict." if unjudged else ""
    if run.limited:
        missing += (
            f" Of these, {run.limited} were ended by a limit of tokens, cost, time or messages, or by a "
            "stop of the model."
        )
    led = f"through {log.harness}, by an agent that another program led,"
    by = led if log.harness else f"by Inspect AI {inspect}"
    return (
        f"The run was carried out {state} {by} on {str(log.header.eval.created)[:10]} "
        f"(log {log.path.name}).{missing}{_mishaps(run)}"
    )


def _mishaps(run: RunSummary) -> str:
    """What went wrong on the way, if anything did."""
    found = {
        "interruption": run.log.resumes,
        "failed request": run.counts["failed_attempts"],
        "restarted trial": run.counts["relaunches"],
    }
    said = ", ".join(count(number, what) for what, number in found.items() if number)
    return f" On the way: {said}." if said else ""


def plan_sentence(log: RunLog) -> str:
    """Says "as planned" or lists each deviation; empty for a run without a plan."""
    metadata = log.metadata
    if "plan" not in metadata:
        return ""
    found = list(deviations(metadata["plan"], metadata["done"]))
    if log.finished < log.planned:
        found.append(f"trials: {log.planned} were planned, {log.finished} have a score")
    if not found:
        return "The run was carried out as planned (plan file written before it)."
    return f"The run deviated from its plan: {'; '.join(found)}."


def analysis_paragraph(compared: bool, suite_sentences: str) -> str:
    """How the numbers of the report were computed."""
    tests = (
        " Agents were compared on the tasks that both were given, by a permutation test over groups of"
        "  variants (two-sided, 9999 permutations or all), with Holm's correction."
        if compared
        else ""
    )
    return (
        "Trials without a verdict (refused, cut off, failed, not run) count as failed; tasks without a "
        "criterion are left out. Pass rates have 95 % intervals over tasks: Wilson's, with the effective "
        "number of trials if trials share a task or tasks are variants of one (Dean and Pagano "
        f"2015).{tests} {suite_sentences}"
    ).strip()
