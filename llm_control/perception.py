"""Run the perception probes on a model and count."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import EvaluationError
from evaluation.evaluate import Display, check_model
from evaluation.log.files import local_path
from evaluation.report_folder import check_writable
from evaluation.request import model_name
from evaluation.scale.references import offline_agent
from evaluation.statistics import wilson
from evaluation.suites import get_suite
from llm_control.offline import KINDS


@dataclass(frozen=True, slots=True)
class KindResult:
    """The probes of a kind: how many were asked and right."""

    kind: str
    asked: int
    right: int

    @property
    def share(self) -> float:
        """The share that was right; 0 if nothing was asked."""
        return self.right / self.asked if self.asked else 0.0

    @property
    def chance(self) -> float:
        """The share that random answers would get."""
        return 1 / len(KINDS[self.kind].answers)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share."""
        return wilson(self.right, self.asked)


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """A run: a row per kind, how many probes have no answer because the model failed, and the log."""

    rows: tuple[KindResult, ...]
    failed: int
    first_error: str
    log: Path


def probe(
    model: str,
    log_dir: Path,
    each: int = 20,
    protocol: str | None = None,
    seed: int | None = None,
    display: Display = "rich",
) -> ProbeResult:
    """Ask a model the probes; `protocol` is a preset that changes the pictures.

    Raises EvaluationError for an unknown model, a missing key and an unwritable folder, ConfigError for the
    preset, KeyboardInterrupt.
    """
    import inspect_ai

    from llm_control.probes import perception

    suite = get_suite("arena")
    full = model_name(suite, model)
    provider, _, name = full.partition("/")
    if provider == suite.name and offline_agent(suite, name) is None:
        raise EvaluationError(
            f"{full}: a learned policy answers no questions; it is evaluated by arena-llm eval"
        )
    choices = {} if seed is None else {"seed": seed}
    task = perception(each=each, protocol=protocol, **choices)
    check_writable(log_dir)
    check_model(full)
    logs = inspect_ai.eval(task, model=full, log_dir=str(log_dir), display=display, score_display=False)
    if not logs or logs[0].status == "cancelled":
        raise KeyboardInterrupt
    if logs[0].error is not None:
        raise EvaluationError(logs[0].error.message.splitlines()[0])
    return _counted(logs[0])


def _counted(log: Any) -> ProbeResult:
    answered = [sample for sample in log.samples or [] if sample.scores]
    failed = [sample for sample in log.samples or [] if not sample.scores]
    marks = {kind: [_right(s) for s in answered if s.metadata["kind"] == kind] for kind in KINDS}
    rows = tuple(KindResult(kind, len(given), sum(given)) for kind, given in marks.items())
    errors = [sample.error.message.splitlines()[0] for sample in failed if sample.error]
    path = local_path(log.location)
    return ProbeResult(rows, len(failed), errors[0] if errors else "", path)


def _right(sample: Any) -> bool:
    return bool(next(iter(sample.scores.values())).value == "C")
