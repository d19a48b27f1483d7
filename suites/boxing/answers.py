"""The answers of an episode, and how wrong they are."""

from collections.abc import Iterable, Sequence

from suites.boxing.outcomes import Floats
from suites.boxing.questions import Questions
from suites.boxing.requests import NOVICE


class Answers:
    """What was answered in each evaluation.

    A question that was not answered counts as answered by the worst answer of the range.
    """

    def __init__(self, questions: Questions) -> None:
        self._questions = questions
        self._given: dict[int, dict[int, Floats]] = {}

    def __len__(self) -> int:
        """How many were given."""
        return sum(map(len, self._given.values()))

    def take(self, evaluation: int, places: Sequence[int], answers: Floats) -> None:
        """Keep the answers (places, values) to some questions."""
        self._given.setdefault(evaluation, {}).update(zip(places, answers, strict=True))

    def error(self, evaluation: int) -> float:
        """The mean error of an evaluation."""
        return float(self._questions.errors(self._filled(evaluation)).mean())

    def metrics(self, evaluations: Iterable[int], last: int) -> dict[str, float | int]:
        """Errors and standardised errors of evaluations, and the proper scores of the `last` one."""
        found: dict[str, float | int] = {}
        for evaluation in evaluations:
            suffix = "novice" if evaluation == NOVICE else str(evaluation)
            error = self.error(evaluation)
            found[f"error_{suffix}"], found[f"z_{suffix}"] = error, self._questions.standardised(error)
        return found | self._questions.proper_scores(self._filled(last))

    def _filled(self, evaluation: int) -> Floats:
        found = self._questions.worst.copy()
        for place, answer in self._given.get(evaluation, {}).items():
            found[place] = answer
        return found
