"""A small study: one person practises, passes, then breaks off playing by scripts; another breaks off."""

from people.store import Store
from tests.people.store.played import SOLUTION, TAKEN, append, begin, finish, recording, rows, stretch


def fill(store: Store) -> None:
    one = store.add_participant("Quokka-1", "study", {"PROLIFIC_PID": "5f3eabc"})
    other = store.add_participant("quokka_1", "study")
    store.note(one.id, "consent", {"text": "I agree ä"})
    store.answer(one.id, "end", "why", '=1+1, "quoted"\nsecond line ä')
    plays = ((one, "keys", -1, TAKEN), (one, "keys", 0, SOLUTION), (one, "scripts", 1, TAKEN))
    for person, mode, position, actions in (*plays, (other, "keys", 0, TAKEN)):
        trial = begin(store, person, mode, position)
        append(store, rows(trial, actions))
        if person is one and mode == "keys":
            finish(store, trial, recording(trial.trial, actions))
            if position == 0:
                append(store, [stretch(trial, 0, 3.0, 3, 20, steps=50, late_steps=1, ages_ms=[19, 20, 21])])
    elsewhere = store.add_participant("Elsewhere", "another")
    append(store, rows(begin(store, elsewhere)))
    store.answer(elsewhere.id, "end", "why", "nothing to do with it")
