"""What is allowed in a study's file and yet is seldom meant, in sentences for `--check`."""

from collections import Counter
from collections.abc import Iterator

from people.study.links import PLACEHOLDER
from people.study.plan import Plan
from people.study.texts import Texts
from people.translations import base_of

SHORT_S = 5.0
"""A task that ends earlier is over before a ball can be reached: 83 steps of 0.06 s."""


def doubts(plan: Plan) -> Iterator[str]:
    """Sentences about a study and its conditions, each once."""
    yield from _about_participants(plan)
    found = (each for one in (plan, *plan.conditions.values()) for each in (*_about_tasks(one), *_texts(one)))
    yield from dict.fromkeys(found)


def _about_participants(plan: Plan) -> Iterator[str]:
    people = plan.study.participants
    alike = Counter(code.casefold() for code in people.codes)
    for same in (code for code, count in alike.items() if count > 1):
        codes = " and ".join(code for code in people.codes if code.casefold() == same)
        yield f"The codes {codes} differ only in capital letters, and belong to different participants."
    if people.quota is not None and people.quota < len(people.codes):
        yield f"The quota of {people.quota} is smaller than the number of codes, {len(people.codes)}."


def _about_tasks(plan: Plan) -> Iterator[str]:
    practised = {task.id for name in ("tutorial", "practice") for task in plan.tasks.get(name, ())}
    for task in plan.test:
        if task.id in practised:
            yield f"{task.id} is a test task that participants have played before, as tutorial or practice."
    for name, block in plan.study.blocks().items():
        if block.suite is not None and base_of(plan.study.language) != "en":
            yield f"{name}: the page and the texts of the suite {block.suite} are in English."
        if block.limit_s is not None and block.limit_s < SHORT_S:
            yield f"{name}: limit_s ends each task after {block.limit_s:g} s, before a ball can be reached."


def _texts(plan: Plan) -> Iterator[str]:
    for name, text in plan.study.words:
        lost = set(PLACEHOLDER.findall(getattr(Texts(), name))) - set(PLACEHOLDER.findall(text))
        for number in sorted(lost):
            yield f"words.{name}: the number {{{number}}} is not shown, as the text lacks it."
