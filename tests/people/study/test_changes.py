"""What may be changed while a study runs, and how many may take part."""

import pytest

from people.store import InvalidRequest
from people.study.progress import progress_of
from tests.people.study.server import TINY
from tests.people.study.test_flow import CODES, FREE
from tests.people.study.test_preview import previewed
from tests.people.study.walk import Walker, client_of, experimenter_of


def entered(study, code: str) -> Walker:
    walker = Walker(study, "x").agree()
    walker.send("/id", code=code)
    return walker


def edit(tmp_path, text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    return text


def reload(study) -> str:
    return experimenter_of(study).post("/experimenter/reload").text


def versions(store) -> list[tuple[int, list[str]]]:
    notes = [note.data for note in store.study_notes("tiny") if note.kind == "config"]
    return [(note["version"], note["changed"]) for note in notes]


def test_texts_codes_and_quota_change_without_a_restart(app, tmp_path):
    study, store = app(CODES)
    first = entered(study, "A1")
    assert entered(study, "C3").page.status_code == 422
    assert "Nothing has changed" in reload(study)
    changed = edit(
        tmp_path, CODES, ("[A1, B2]", "[A1, C3, B2]"), ("may **stop**", "can **stop**"),
        ("How old are you?", "What is your age?"), ("C1A2", "D4"),
    )  # fmt: skip
    said = reload(study)
    names = ["completion.code", "consent.text", "participants.codes", "questionnaires.0.items.0.ask"]
    assert f"Version 2: {', '.join(names)}" in said
    assert "can <strong>stop" in client_of(study).get("/").text
    assert "What is your age?" in first.visitor.get("/").text
    assert entered(study, "C3").stage == "questions-background"
    edit(tmp_path, changed + "play_words: {Start: Go}\n", ("[A1, C3, B2]", "[A1, C3, B2], quota: 2"))
    assert "Version 3: participants.quota, play_words.Start" in reload(study)
    assert client_of(study).get("/play.words").json() == {"Start": "Go", "language": "en"}
    assert "The study is full" in entered(study, "B2").page.text
    assert first.visitor.get("/").status_code == 200
    assert versions(store) == [(1, []), (2, names), (3, ["participants.quota", "play_words.Start"])]


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("01-06-02", "01-06-03", "arenas.test/01-06-02, arenas.test/01-06-03, test.0.tasks.1"),
        ("[A1, B2]", "[A1, C3]", "participants.codes"),
        ("latin-square", "random", "test.0.order"),
        ("tries: 2", "tries: 3", "practice.tries"),
        ("points: 5", "points: 6", "questionnaires.1.items.0.points"),
        ("[Yes, No]", "[Yes, Nope]", "questionnaires.2.items.0.options.1"),
        ("title: A tiny study", "title: T\nseed: 4", "seed"),
        ("title: A tiny study", "titel: T", "unknown key"),
        ("name: tiny", "name: other", "but tiny is being served"),
    ],
)
def test_what_would_change_the_experiment_is_refused(app, tmp_path, old, new, name):
    study, store = app(CODES)
    walker = entered(study, "A1")
    edit(tmp_path, CODES, (old, new))
    said = reload(study)
    assert "The study continues unchanged." in said
    assert name in said
    assert versions(store) == [(1, [])]
    assert "A tiny study" in walker.visitor.get("/").text


def test_a_change_ends_previews_that_it_would_break(app):
    study, store = app()
    previewed(study, store).agree()
    changed = TINY.replace("01-06-02", "01-06-03")
    app(TINY.replace("A tiny study", "Small"))
    (me,) = store.participants("tiny", test=True)
    assert progress_of(store, me).ending is None
    app(changed)
    assert progress_of(store, me).ending.name == "withdrawn"
    walker = Walker(study, "p1").agree()
    refused = r"1 of 1 participants in .*study.db are in the middle .*changed since: .* test\.0\.tasks\.1"
    with pytest.raises(InvalidRequest, match=refused):
        app(TINY)
    app(changed.replace("C1A2", "OTHER") + "words: {agree: Count me in}\n")
    walker.send("/withdraw")
    app(TINY)


def test_newcomers_are_turned_away_when_the_study_is_full(app):
    study, store = app(FREE.replace("from: free", "from: free, quota: 2"))
    waiting = Walker(study, "x").agree()
    first, second = entered(study, "A1"), entered(study, "A2")
    assert second.stage == "questions-background"
    assert "The study is full" in client_of(study).get("/").text
    assert "The study is full" in waiting.send("/id", code="A3").text
    assert len(store.participants("tiny")) == 2
    assert first.visitor.get("/").status_code == 200
    assert "I agree" in previewed(study, store).page.text
    first.send("/withdraw")
    assert entered(study, "A4").stage == "questions-background"
