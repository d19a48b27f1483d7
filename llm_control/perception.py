"""Run the perception probes on a model and count."""

from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

from arena.errors import EvaluationError
from evaluation.evaluate import Display, check_model
from evaluation.folders import check_writable
from evaluation.models import model_name, policy_file
from llm_control.probes import KINDS

Z95 = 1.959964
"""The standard normal's 97.5 % point."""


@dataclass(frozen=True, slots=True)
class KindResult:
    """The probes of a kind: how many were asked and right; `low` and `high` are Wilson's 95 % interval."""

    kind: str
    asked: int
    right: int

    @property
    def share(self) -> float:
        """The share that was right; 0 where nothing was asked."""
        return self.right / self.asked if self.asked else 0.0

    @property
    def chance(self) -> float:
        """The share that guessing would get."""
        return 1 / len(KINDS[self.kind].answers)

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self._end(-1)

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self._end(1)

    def _end(self, sign: int) -> float:
        n = self.asked
        if not n:
            return float(sign > 0)
        spread = Z95 * sqrt(self.share * (1 - self.share) / n + Z95**2 / (4 * n**2))
        return (self.share + Z95**2 / (2 * n) + sign * spread) / (1 + Z95**2 / n)


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

    import evaluation.inspect_task.registry

    full = model_name(model)
    if policy_file(full) is not None:
        raise EvaluationError(
            f"{full}: a learned policy answers no questions; it is evaluated by arena-llm eval"
        )
    choices = {} if seed is None else {"seed": seed}
    task = evaluation.inspect_task.registry.perception(each=each, protocol=protocol, **choices)
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
    path = Path(log.location.removeprefix("file://"))
    return ProbeResult(rows, len(failed), errors[0] if errors else "", path)


def _right(sample: Any) -> bool:
    return bool(next(iter(sample.scores.values())).value == "C")
