"""That a study goes on as it began: its file is kept with its data, and another one is refused."""

from human_data.people.store import Store
from human_data.people.store.errors import Refused, shown
from human_data.people.study.facts import OURS, all_facts
from human_data.people.study.plan import Plan

CONFIG = "config"
"""Kind of the notes that hold a study's file."""


def begin_or_go_on(store: Store, plan: Plan) -> int:
    """Keep the study's file where it is new; returns how many people are on their way.

    Raises Refused where people are on their way through the study as another file described it.
    """
    name = plan.study.name
    ours = store.add_participant(OURS, name)
    kept = [note for note in store.notes(ours.id) if note.kind == CONFIG]
    people = all_facts(store, name)
    on_their_way = sum(not (facts.completed or facts.withdrawn) for facts in people)
    if kept and kept[-1].data["sha256"] == plan.sha256():
        return on_their_way
    if kept and on_their_way:
        was, now = kept[-1].data["study"], plan.described()
        changed = ", ".join(key for key in sorted({*was, *now}) if was.get(key) != now.get(key))
        raise Refused(
            f"{plan.source}: {on_their_way} of {len(people)} people in {shown(store.database.url)} are on "
            f"their way through the study {name} as it was before; changed since: {changed}. Take the change "
            "back, or give the changed study another name or another --db"
        )
    store.note(ours.id, CONFIG, {"sha256": plan.sha256(), "study": plan.described()})
    return on_their_way
