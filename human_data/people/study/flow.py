"""Where a person is in a study, and what moves them on. Everything is told by the store: a server that is
started again knows it as well as one that never stopped.
"""

from collections.abc import Mapping

from human_data.people.store import Participant, Store
from human_data.people.study.facts import (
    ABANDONED,
    COMPLETED,
    CONSENT,
    ORDER,
    OURS,
    PASSED,
    WITHDRAWN,
    Facts,
    all_facts,
    facts_of,
)
from human_data.people.study.order import least_used, order_of, rows_of
from human_data.people.study.plan import Plan
from human_data.people.study.stages import Asking, End, Playing, Reading, Stage


def where(plan: Plan, facts: Facts) -> Stage:
    """The stage that a person is at."""
    if facts.withdrawn:
        return End("withdrawn")
    if facts.completed:
        return End("completed")
    late = _time_is_over(plan, facts)
    return next(stage for stage in plan.stages(facts.order) if not _behind(stage, facts, late))


def enter(plan: Plan, store: Store, code: str, link: Mapping[str, str]) -> Participant:
    """Let a person in who has agreed; one who is in already is left as they are."""
    person = store.add_participant(code, plan.study.name, link)
    if not facts_of(store, person).order:
        consent = plan.study.consent
        store.note(person.id, CONSENT, {"agreed": True, "version": consent.version, "title": consent.title})
        others = all_facts(store, plan.study.name)
        used = [other.row for other in others if other.order and not other.withdrawn]
        row = least_used(rows_of(plan.study.test, plan.test), used)
        order = order_of(plan.study.test, plan.test, plan.study.seed, code, row)
        store.note(person.id, ORDER, {"tasks": list(order), "row": row, "seed": plan.study.seed})
    return person


def refuse(plan: Plan, store: Store) -> None:
    """Note that somebody does not take part, and not who."""
    ours = store.add_participant(OURS, plan.study.name)
    store.note(ours.id, CONSENT, {"agreed": False, "version": plan.study.consent.version})


def known(plan: Plan, store: Store, code: str) -> Participant | None:
    """Who entered the study with this code."""
    people = store.participants(plan.study.name)
    return next((person for person in people if person.code == code and code != OURS), None)


def read_on(store: Store, person: Participant, stage: Reading) -> None:
    """The person has read a page, or ended a break."""
    store.note(person.id, PASSED, {"stage": stage.name})


def keep_answers(store: Store, person: Participant, stage: Asking, answers: Mapping[str, str]) -> None:
    """Keep the answers of a page, which is passed by it; what was left out is kept as an empty answer."""
    for item in stage.questionnaire.items:
        store.answer(person.id, stage.page, item.id, answers.get(item.id, ""))
    store.note(person.id, PASSED, {"stage": stage.name})


def abandon(store: Store, person: Participant, trial: int) -> None:
    """A trial cannot be gone on with; the next stage comes."""
    store.note(person.id, ABANDONED, {"trial": trial})


def withdraw(store: Store, person: Participant, stage: Stage) -> None:
    """The person stops taking part."""
    store.note(person.id, WITHDRAWN, {"stage": stage.name})


def settle(plan: Plan, store: Store, person: Participant) -> None:
    """Note that the person is through, once they are."""
    facts = facts_of(store, person)
    if not facts.completed and where(plan, facts) == End("completed"):
        store.note(person.id, COMPLETED, {})


def _behind(stage: Stage, facts: Facts, late: bool) -> bool:
    match stage:
        case Playing(part="test"):
            begun = facts.at(stage.position)
            return all(map(facts.over, begun)) if begun else late
        case Playing():
            return _practised(stage, facts)
        case Reading() | Asking():
            return stage.name in facts.passed or (late and _within_test(stage))
    return False


def _within_test(stage: Reading | Asking) -> bool:
    if isinstance(stage, Reading):
        return stage.is_break or stage.name == "introduction-test"
    return stage.questionnaire.when == "between"


def _practised(stage: Playing, facts: Facts) -> bool:
    begun = facts.at(stage.position)
    if not begun or not facts.over(begun[-1]):
        return False
    passed = any(trial.passed or trial.pass_mark is None for trial in begun if facts.over(trial))
    # One that cannot be ended would not be the next time either.
    hopeless = begun[-1].id in facts.abandoned
    return passed or hopeless or (stage.tries is not None and len(begun) >= stage.tries)


def _time_is_over(plan: Plan, facts: Facts) -> bool:
    limit = plan.study.test.limit_minutes
    return limit is not None and facts.played_s() >= 60 * limit
