"""The methods paragraphs and the facts of runs: what logs say of how they came about."""

from evaluation.log.run import RunLog
from evaluation.request import deviations
from evaluation.summary import RunSummary, sent_words
from report.files import prose
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
    mishaps = {
        "interruption": log.resumes,
        "failed request": run.counts["failed_attempts"],
        "restarted trial": run.counts["relaunches"],
    }
    values = {
        "others": sorted(run.answered_by - {log.model, log.model.partition("/")[2]}),
        "group": suite.suite.group_name,
        "groups": [name for name in sorted(run.groups, key=lambda each: (str(type(each)), each)) if name],
        "suite": suite.methods(log, run.versions),
        "sent": sent_words(run.requests),
        "unjudged": run.without_verdict.total(),
        "mishaps": [count(number, what) for what, number in mishaps.items() if number],
        "plan": plan_sentence(log),
    }
    return prose("methods.j2", run=run, log=log, **values)


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
