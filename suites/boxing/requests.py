"""What is asked for in an episode: experiments, answers, and an explanation."""

from typing import NamedTuple

from suites.boxing.choices import BoxingChoices

NOVICE = -1
"""The evaluation of the novice, among numbers of experiments."""


class Request(NamedTuple):
    """What is asked for next: `kind` as in `Observation` or narrate, the evaluation, the questions from 0."""

    kind: str
    evaluation: int
    questions: tuple[int, ...] = ()


def requests_of(choices: BoxingChoices, questions: int, speaks: bool) -> tuple[Request, ...]:
    """All that is asked for in an episode, in order; `speaks`: whether a narrator says what comes of it."""
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
