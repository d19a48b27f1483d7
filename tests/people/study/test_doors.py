"""Security: no access to others' data, no forms from other sites, no access to files, no crash."""

import base64
import io
import json
import re
import zipfile
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from people.play.security import COOKIE, MAX_FORM_BYTES
from people.store.tables import STUDY_CODE
from people.study.experimenter_pages import COOKIE as EXPERIMENTER
from tests.people.play.server import Page
from tests.people.study.server import TINY
from tests.people.study.walk import TOKEN, Walker, client_of, experimenter_of

HOME = "/experimenter"
INNER = [
    HOME, f"{HOME}/table", f"{HOME}/export.zip", f"{HOME}/person/p1", f"{HOME}/person/p1/delete",
    f"{HOME}/person/p1/trial/1", f"{HOME}/person/p1/trial/1/frames",
]  # fmt: skip


def test_the_experimenters_pages_need_the_token(app):
    walker = Walker(app()[0], "p1").agree()
    assert [walker.visitor.get(path).status_code for path in INNER] == [401] * len(INNER)
    walker.visitor.cookies.set(EXPERIMENTER, TOKEN[:-1] + "x", path=HOME)
    answers = [walker.visitor.get(path) for path in INNER]
    assert [(answer.status_code, "p1" in answer.text) for answer in answers] == [(403, False)] * len(INNER)
    assert walker.visitor.post(f"{HOME}/person/p1/delete", data={"code": "p1"}).status_code == 403
    assert walker.visitor.get(HOME, params={"token": walker.token}).status_code == 403


def test_the_token_goes_into_a_cookie_that_scripts_cannot_read(app):
    answer = client_of(app()[0]).get(HOME, params={"token": TOKEN})
    cookie = answer.headers["set-cookie"].lower()
    assert answer.status_code == 200
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert f"path={HOME}" in cookie


def test_the_table_and_a_person(server, walker, experimenter):
    walker.agree().go_to("play")
    walker.play()
    code = walker.link["PROLIFIC_PID"]
    table = experimenter.get(f"{HOME}/table").text
    shown = rf"{code}</a></td>\s*<td>practice, task 1 of 1: 01-05-01</td>\s*<td class=\"n\">0 of 2"
    assert re.search(shown, table)
    page = experimenter.get(f"{HOME}/person/{code}").text
    assert "failed (stopped)" in page
    assert re.search(r"<td>(<strong>poor</strong>: )?\d+ images/s", page)
    link = re.search(r"http://[^\s<]+/return/\S+?(?=<)", page)[0]
    back = server.visitor().get(link)
    assert back.cookies[COOKIE] == walker.token
    frames = experimenter.get(re.search(r'href="([^"]+/trial/\d+)"', page)[1] + "/frames").text
    images = [json.loads(line) for line in frames.splitlines()]
    assert [image["step"] for image in images] == list(range(len(images)))
    files = [base64.b64decode(image["image"].removeprefix("data:image/jpeg;base64,")) for image in images]
    assert {file[:2] for file in files} == {b"\xff\xd8"}
    assert images[-1]["health"] < 100
    packed = zipfile.ZipFile(io.BytesIO(experimenter.get(f"{HOME}/export.zip").content))
    names = {"tiny/actions.csv", "tiny/codebook.md", f"tiny/recordings/{code}/01-01-01-0.json"}
    assert names <= set(packed.namelist())
    assert walker.token not in str([packed.read(name) for name in packed.namelist()])
    assert experimenter.get(f"{HOME}/person/{code}/trial/99999/frames").status_code == 404


def test_deletion_asks_again_and_ends_the_page(server, walker, experimenter):
    walker.agree().go_to("play")
    code, token = walker.link["PROLIFIC_PID"], walker.token
    address = f"{HOME}/person/{code}/delete"
    assert f"Delete all data of {code}?" in experimenter.get(address).text
    assert "Nothing was deleted" in experimenter.post(address, data={"code": "other"}).text
    with Page(server, token) as page:
        page.until("trial")
        assert experimenter.post(address, data={"code": code}).status_code == 303
        assert "Your data have been deleted" in page.refusal()[1]
    assert experimenter.get(f"{HOME}/person/{code}").status_code == 404
    with server.store() as store:
        assert store.participant(token) is None
    assert "I agree to take part" in walker.visitor.get("/", params=walker.link).text


def test_answers_are_escaped(app):
    study, store = app()
    walker = Walker(study, "p1").agree()
    nasty = "<script>alert(1)</script>\"'&{{ 7*7 }}"
    page = walker.send("/go", **{"item-age": nasty}).text
    assert "<script>alert" not in page
    assert "{{ 7*7 }}" in page
    store.answer(store.participant(walker.token).id, nasty, nasty, nasty)
    visitor = experimenter_of(study)
    shown = visitor.get(f"{HOME}/person/p1").text
    assert "<script>alert" not in shown
    assert shown.count("&lt;script&gt;alert(1)") == 3
    assert "<script>" not in visitor.get("/", params={"PROLIFIC_PID": nasty, "STUDY_ID": nasty}).text
    consent = TINY.replace("You may **stop** at any time.", "<script>x</script> [l](javascript:x)")
    shown = client_of(app(consent, "other.db")[0]).get("/", params={"PROLIFIC_PID": "p1"}).text
    assert "&lt;script&gt;x" in shown
    assert 'href="javascript' not in shown


def test_forms_are_accepted_from_our_own_pages_only(app):
    walker = Walker(app()[0], "p1")
    visitor = walker.visitor
    for origin in ("http://evil.example", "null", "https://testserver.evil.example"):
        for path in ("/consent", "/id", "/go", "/withdraw", "/another"):
            assert visitor.post(path, data={"answer": "agree"}, headers={"origin": origin}).status_code == 403
    assert visitor.post("/consent", json={"answer": "agree"}).status_code == 415
    assert visitor.post("/consent", data={"answer": "x" * MAX_FORM_BYTES}).status_code == 413
    assert visitor.post("/consent", data={str(number): "" for number in range(600)}).status_code == 400
    assert visitor.post("/consent", data={"answer": "perhaps"}).status_code == 400
    assert visitor.post("/consent", data={"answer": "agree"}).status_code == 400


def test_a_cookie_of_another_study_gives_no_access(app):
    study, store = app()
    stranger = store.add_participant("p9", "other")
    visitor = client_of(study)
    visitor.cookies.set(COOKIE, stranger.token)
    assert visitor.post("/go", data={"stage": "x"}).status_code == 403
    assert visitor.get(f"/return/{stranger.token}").status_code == 404
    ours = store.add_participant(STUDY_CODE, "tiny")
    assert visitor.get(f"/return/{ours.token}").status_code == 404
    assert visitor.get("/", params={"PROLIFIC_PID": "_study"}).status_code == 400


PATHS = (
    *("../study.yaml", "..%2fstudy.db", "study.css/../app.py", "%2e%2e/etc/passwd", "page/base.html.j2"),
    *("docs", "openapi.json", "return/..%2f..%2fstudy.db", "study.js%00.py"),
)


def test_no_path_leads_to_a_file(app):
    visitor = client_of(app()[0])
    for path in PATHS:
        answer = visitor.get(f"/{path}")
        assert answer.status_code == 404, path
        assert "import" not in answer.text, path
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"


ODD = ("agree", "refuse", "p1", "_study", "3", "questions-background", "test-1", "break-1", "0", "-1")
WORDS = st.text(st.characters(exclude_categories=[]), max_size=30) | st.sampled_from([*ODD, "1e400", TOKEN])
FIELDS = st.dictionaries(
    st.sampled_from(["answer", "code", "agreed", "stage", "tab", "item-age", "PROLIFIC_PID", "token"])
    | WORDS, WORDS, max_size=6,
)  # fmt: skip
FORMS = ["/consent", "/id", "/go", "/withdraw", "/another", f"{HOME}/person/{{}}/delete"]
PAGES = ["/", "/here", "/withdraw", "/return/{}", HOME, *(path.replace("p1", "{}") for path in INNER), "/{}"]


def encoded(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


@settings(
    max_examples=120, deadline=None, phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(data=st.data())
def test_no_form_or_parameter_is_too_much(fuzzed, data):
    walker, inside = fuzzed
    visitor = data.draw(st.sampled_from([walker.visitor, inside]))
    path = data.draw(st.sampled_from(FORMS + PAGES))
    path = path.replace("{}", encoded(data.draw(WORDS)))
    fields = data.draw(FIELDS)
    query = "&".join(f"{encoded(name)}={encoded(value)}" for name, value in fields.items())
    if data.draw(st.booleans()):
        answer = visitor.get(f"{path}?{query}")
    else:
        body = data.draw(st.binary(max_size=50)) if data.draw(st.booleans()) else query.encode()
        kind = {"content-type": "application/x-www-form-urlencoded"}
        answer = visitor.post(path, content=body, headers=kind)
    assert answer.status_code < 500, (path, query)


@pytest.fixture
def fuzzed(app):
    study, _ = app()
    return Walker(study, "p1").agree(), experimenter_of(study)
