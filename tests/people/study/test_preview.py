"""Who tries a study out sees all of it, and is in no count and no export unless that is asked for."""

import csv
import io
import re
import zipfile

import pytest

from people.study.links import PREVIEW, signature, signing_key
from people.study.progress import all_progress
from tests.people.study.test_flow import CODES, FREE
from tests.people.study.test_identity import SIGNED
from tests.people.study.walk import TOKEN, Walker, client_of


def previewed(study, store) -> Walker:
    """Somebody at the consent page who opened the preview's link."""
    walker = Walker(study, "x")
    address = f"/preview/{signature(signing_key(store, 'tiny'), PREVIEW)}"
    walker.page = walker.visitor.get(address, follow_redirects=True)
    return walker


@pytest.mark.parametrize("text", [SIGNED, CODES, FREE], ids=["link", "codes", "free"])
def test_a_preview_has_every_page_and_is_marked(app, text):
    study, store = app(text)
    walker = previewed(study, store).agree()
    if text is not SIGNED:
        code = re.search(r'name="code" value="(test-\w+)"', walker.page.text)[1]
        assert walker.send("/id", code="A1").status_code == 422
        walker.send("/id", code=code)
    assert walker.stage == "questions-background"
    (me,) = store.participants("tiny", test=True)
    assert (me.test, me.code[:5], "test" in me.link, "signature" in me.link) == (True, "test-", False, False)
    assert store.participants("tiny") == []
    walker.send("/go", **{"item-age": "9"})
    assert walker.stage == "introduction-tutorial"
    other = previewed(study, store)
    other.send("/consent", answer="refuse")
    assert "You have chosen not to take part" in other.page.text
    assert [note for note in store.study_notes("tiny") if note.kind == "consent"] == []


def test_a_preview_is_not_for_who_makes_the_link_up(app):
    study, store = app(FREE)
    assert client_of(study).get("/preview/made-up").status_code == 404
    walker = Walker(study, "x").agree()
    walker.send("/id", code="test-1", test="made-up")
    assert store.participants("tiny", test=True) == []
    walker.page = walker.visitor.get("/")
    walker.agree().send("/id", code="test-1")
    assert [each.test for each in store.participants("tiny")] == [False]


def test_counts_rows_of_the_design_and_exports_leave_previews_out(app):
    study, store = app()
    previewed(study, store).agree().send("/go", **{"item-age": "9"})
    for code in ("p1", "p2"):
        Walker(study, code).agree()
    rows = {each.participant.code: each.rows["test"] for each in all_progress(store, "tiny")}
    assert rows == {"p1": 0, "p2": 1}
    experimenter = client_of(study)
    page = experimenter.get(f"/experimenter?token={TOKEN}").text
    assert page.count('<span class="quiet">test</span>') == 1
    assert '<strong>2</strong><span class="label">agreed' in page
    assert experimenter.get(re.search(r'href="(/preview/[^"]+)"', page)[1]).status_code == 303

    def exported(address: str) -> list[list[str]]:
        with zipfile.ZipFile(io.BytesIO(experimenter.get(address).content)) as archive:
            names = ("tiny/participants.csv", "tiny/answers.csv", "tiny/notes.csv")
            tables = [list(csv.DictReader(io.TextIOWrapper(archive.open(name)))) for name in names]
        return [sorted({row.get("test", row["participant"][:4]) for row in table}) for table in tables]

    assert exported("/experimenter/export.zip") == [["False"], [], ["p1", "p2"]]
    assert exported("/experimenter/export.zip?test=1") == [["False", "True"], ["test"], ["p1", "p2", "test"]]
