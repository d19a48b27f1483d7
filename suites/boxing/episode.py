"""Episodes for the runner: experiments, questions in between, and an explanation."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluation.prompts import without_gaps
from evaluation.suite import EpisodeSetup, Observation, Record, TurnByTurn
from suites.boxing.choices import TRIES, BoxingChoices
from suites.boxing.environments import drawn
from suites.boxing.outcomes import Floats
from suites.boxing.posterior import posterior_of, regret
from suites.boxing.questions import Questions
from suites.boxing.replies import answers_of, design_of, explanation_of, form_of
from suites.boxing.world import Field, WrongReplyError, unnamed

NOVICE = -1
"""Evaluation of the novice, among numbers of experiments."""


class Request(NamedTuple):
    """Next request: `kind` as in `Observation` or narrate, evaluation, and questions from 0."""

    kind: str
    evaluation: int
    questions: tuple[int, ...] = ()


def requests_of(choices: BoxingChoices, questions: int, speaks: bool) -> tuple[Request, ...]:
    """List all requests of an episode in order.

    `speaks`: a narrator describes the outcomes.
    """
    every = tuple(range(questions))
    sets = [every] if choices.ask == "together" else [(k,) for k in every]

    def asked(evaluation: int) -> list[Request]:
        return [Request("predict", evaluation, each) for each in sets]

    narrated = speaks and choices.wording != "plain" and choices.narrator is not None
    found: list[Request] = []
    for done in range(choices.experiments + 1):
        found += asked(done) if done in choices.evaluated else []
        found += [Request("act", done)] if done < choices.experiments else []
        found += [Request("narrate", done)] if narrated and done < choices.experiments else []
    if choices.novice:
        found += [Request("explain", NOVICE), *asked(NOVICE)]
    return tuple(found)


class Turn(NamedTuple):
    """Reply with its result; entries of other kinds are None.

    `experiments`: the number of earlier experiments. Of an experiment: `design` as it is written, `outcome`,
    its description `said`, and information and regrets as in `suites.boxing.posterior.Regret`. Of answers:
    the `evaluation` (a number of experiments, or -1 for the novice's), the numbers of the `questions` from 0,
    `answers`, `truths` and `errors`. `words` are those of an explanation before it is cut.
    """

    turn: int
    reply: str
    error: str | None
    kind: str
    experiments: int
    design: str | None = None
    outcome: tuple[float, ...] | None = None
    said: str | None = None
    information: float | None = None
    regret: float | None = None
    regret_published: float | None = None
    evaluation: int | None = None
    questions: tuple[int, ...] | None = None
    answers: tuple[tuple[float, ...], ...] | None = None
    truths: tuple[tuple[float, ...], ...] | None = None
    errors: tuple[float, ...] | None = None
    words: int | None = None


class Answers:
    """Answers of each evaluation, `number` in all. An unanswered question counts as answered by the worst
    answer of the range."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions
        self._given: dict[int, Floats] = {}
        self.number = 0

    def take(self, evaluation: int, places: Sequence[int], answers: Floats) -> None:
        """Keep the answers (places, values) to some questions."""
        self._given.setdefault(evaluation, self._questions.worst.copy())[places] = answers
        self.number += len(places)

    def error(self, evaluation: int) -> float:
        """Compute the mean error of an evaluation."""
        return float(self._questions.errors(self.of(evaluation)).mean())

    def metrics(self, evaluations: Iterable[int], last: int) -> dict[str, float | int]:
        """Compute (standardised) errors of evaluations, and the `last` one's proper scores."""
        found: dict[str, float | int] = {}
        for evaluation in evaluations:
            suffix = "novice" if evaluation == NOVICE else str(evaluation)
            error = self.error(evaluation)
            found[f"error_{suffix}"], found[f"z_{suffix}"] = error, self._questions.standardised(error)
        return found | self._questions.proper_scores(self.of(last))

    def of(self, evaluation: int) -> Floats:
        """Return the answers of an evaluation, (m, values)."""
        return self._given.get(evaluation, self._questions.worst)


class Episode(TurnByTurn):
    """Plays one world by replies; `goal` names its final question."""

    choices: BoxingChoices

    def __init__(self, setup: EpisodeSetup) -> None:
        super().__init__(setup)
        name, self.goal, number = (self._content[key] for key in ("environment", "goal", "number"))
        self.world, rng = drawn(name, number)
        self.questions = Questions(self.world, self.goal, self.choices.mode, rng, self.choices.questions)
        if self.choices.wording == "plain":
            self.world.hide_meaning()
        self._noise, self._designs, inference = np.random.default_rng(self._seed).spawn(3)
        self.posterior = posterior_of(self.world, inference)
        self._answers = Answers(self.questions)
        self._requests = requests_of(self.choices, len(self.questions), self.world.speaks)
        self._place = self._tries = self._done = 0
        self._said = self.explanation = ""

    @property
    def request(self) -> Request:
        """Return the present request."""
        return self._requests[self._place]

    def begin(self) -> Observation:
        """Return the first request."""
        return self._observation()

    def finish(self) -> Record:
        """End the episode."""
        over = self._place == len(self._requests)
        last = self._answers.error(self.choices.experiments)
        score = self.questions.score(last)
        metrics = {"total_reward": score, **self._metrics()}
        return self._record(
            self._outcome(last) if over else "stop",
            over and last < self.questions.pass_error if self.questions.judged else None,
            score,
            metrics,
            self._replay(metrics),
            over=over,
            error=last,
            score=score,
        )

    def _outcome(self, error: float) -> str:
        """Compare an error with that of the best answers without experiments."""
        if error < self.questions.prior_error:
            return "better than the prior"
        return "as the prior" if error == self.questions.prior_error else "worse than the prior"

    def _replay(self, metrics: Mapping[str, float | int]) -> dict[str, Any]:
        """Collect replay and report data that are no metrics."""
        return {
            **self._content,
            **{key: getattr(self.choices, key) for key in ("mode", "wording")},
            "chances": self.questions.chances,
            "parameters": dict(zip(self.world.parameter_names, self.world.theta.tolist(), strict=True)),
            "explanation": self.explanation,
            "standardised": {key[2:]: value for key, value in metrics.items() if key.startswith("z_")},
            **{key: metrics[key] for key in ("prior_error", "asked_answers", "missing_answers")},
        }

    def reply(self, text: str, reason: str | None = None) -> Observation:
        """Carry out an experiment, or record answers or an explanation. A reply that is refused for a
        `reason` has no effect."""
        request, error = self.request, reason
        found: Mapping[str, Any] = {}
        try:
            found = self._carried_out(request, text) if reason is None else {}
        except WrongReplyError as wrong:
            error = str(wrong)
        self.turns.append(Turn(len(self.turns) + 1, text, error, request.kind, self._done, **found))
        self._tries = self._tries + 1 if error is not None else 0
        if error is None or self._tries == TRIES:
            self._next(request, given_up=error is not None)
        if self._place == len(self._requests):
            return Observation(done=True)
        return self._observation(error)

    refuse = reply

    def _next(self, request: Request, given_up: bool) -> None:
        """Continue with the next request, also after an unanswered one."""
        lost = given_up and request.kind == "act"
        if lost:
            self._said = self._prompts["no_experiment"].fill(tries=TRIES)
        self._done += request.kind == "act"
        self._place, self._tries = self._place + 1, 0
        if lost and self._place < len(self._requests) and self.request.kind == "narrate":
            self._place += 1

    def _carried_out(self, request: Request, text: str) -> Mapping[str, Any]:
        """Interpret a reply as parts of a turn. Raises WrongReplyError."""
        if request.kind == "act":
            return self._experiment(design_of(text, self.world))
        if request.kind == "explain":
            self.explanation, words = explanation_of(text, self.choices.explanation)
            return {"words": words}
        if request.kind == "narrate":
            told, _ = explanation_of(text, 150)  # words of a narrator that are kept
            self._said = self._prompts["narrated"].fill(said=told)
            return {"said": self._said}
        places = list(request.questions)
        answers = answers_of(text, self._fields, len(places))
        self._answers.take(request.evaluation, places, answers)
        rows = {"answers": answers, "truths": self.questions.truths[places]}
        return {
            "evaluation": request.evaluation,
            "questions": request.questions,
            **{name: tuple(map(tuple, row.tolist())) for name, row in rows.items()},
            "errors": tuple(self.questions.errors(answers, places).tolist()),
        }

    def _experiment(self, x: Floats) -> Mapping[str, Any]:
        found = regret(self.world, self.posterior, x, self._designs, self.goal)
        y = self.world.observe(x, self._noise)
        self.posterior.observe(x, y)
        self._said = self.world.described(x, y, self.choices.wording)
        return {
            "design": self.world.written(x),
            "outcome": tuple(y.tolist()),
            "said": self._said,
            "information": found.information,
            "regret": found.regret,
            "regret_published": found.published,
        }

    @property
    def _fields(self) -> tuple[Field, ...]:
        """Fields of one answer."""
        fields = self.questions.fields
        return unnamed(fields, "output") if self.choices.wording == "plain" else fields

    def _observation(self, error: str | None = None) -> Observation:
        """Compose the present request. Questions are left out later, so each shows what it depends on."""
        request, prompts = self.request, self._prompts
        said = self._said
        if error is not None:
            wrong = prompts["invalid_reply"].fill(feedback=error, left=TRIES - self._tries)
            said = f"{said}\n\n{wrong}" if self._tries else said
        asked = "\n".join(self._asked(k, len(request.questions)) for k in request.questions)
        fields = self._fields
        answer = prompts["answer"].fill(
            form=form_of(fields, max(len(request.questions), 1)), limits="; ".join(_limits(fields))
        )
        novice = request.evaluation == NOVICE and request.kind == "predict"
        prompt = prompts["novice" if novice else request.kind]
        values: dict[str, Any] = {
            "said": said if not novice or self._tries else "",
            "number": self._done + 1,
            "experiments": self.choices.experiments,
            "form": self.world.form,
            "questions": asked,
            "answer": answer,
            "words": self.choices.explanation,
            "explanation": self.explanation,
        }
        shown = prompt.fill(**{name: values[name] for name in prompt.names})
        narrated = request.kind == "narrate"
        told = self._story()
        story = f"{told}\n\n" if self._done == 0 and not novice else ""
        kind: Any = "predict" if narrated else request.kind
        model = self.choices.narrator if narrated else self.choices.novice_model if novice else None
        text = without_gaps(story + shown)
        data = {**request._asdict(), "story": "" if novice else told, "shown": shown}
        return Observation((text,), False, kind, novice or narrated, model, said or None, data=data)

    def _story(self) -> str:
        """Describe the world and the final question."""
        wording, asks = self.choices.wording, self.questions.parameters_asked(self.choices.wording)
        goal = self._prompts["goal_parameters" if asks else "goal_prediction"].fill()
        goal = self._prompts["goal_asked"].fill(question=asks) if asks and wording == "story" else goal
        return self._prompts[f"{self.world.name}_{wording}"].fill(
            details=self.world.details(wording), goal=goal
        )

    def _asked(self, question: int, together: int) -> str:
        text = self.questions.asked(question, self.choices.wording)
        if self.questions.chances:
            text = f"{text} {self._prompts['chances'].fill()}"
        return f"{question + 1}. {text}" if together > 1 else text

    def _metrics(self) -> dict[str, float | int]:
        """Metrics of an episode for tables and reports."""
        asked = [each for each in self._requests[: self._place] if each.kind == "predict"]
        rest = {each.evaluation for each in self._requests[self._place :] if each.kind == "predict"}
        over = dict.fromkeys(each.evaluation for each in asked if each.evaluation not in rest)
        found = self._answers.metrics(over, self.choices.experiments)
        found["prior_error"] = self.questions.prior_error
        tried = [turn for turn in self.turns if turn.information is not None]
        if tried:
            for name in ("information", "regret", "regret_published"):
                found[name] = float(np.mean([getattr(turn, name) for turn in tried]))
        found["experiments"] = len(tried)
        found["invalid_replies"] = sum(turn.error is not None for turn in self.turns)
        found["asked_answers"] = sum(len(each.questions) for each in asked)
        found["missing_answers"] = int(found["asked_answers"]) - self._answers.number
        return found


def _limits(fields: Sequence[Field]) -> list[str]:
    """List the fields' limits, or one if they are equal."""
    if len(fields) > 1 and len({field.expected for field in fields}) == 1:
        return [f"each: {fields[0].expected}"]
    return [f"{field.label}: {field.expected}" for field in fields]
