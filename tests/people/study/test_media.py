"""Pictures and sounds beside a study's file."""

import re
from pathlib import Path

import pytest

from arena.errors import ConfigError
from people.pages import file_url
from people.store import InvalidRequest
from tests.cases import cases
from tests.people.study.media import write_picture, write_sound
from tests.people.study.server import TINY, planned
from tests.people.study.walk import Walker, client_of

CASES = cases(__file__)

MEDIA = TINY.replace(
    'text: "You may **stop** at any time."', 'text: "![A ball](my%20ball.png) Look.", sound: read.WAV'
).replace("ask: How old are you?", "ask: How old are you?, sound: sub/age.wav")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sub").mkdir()
    write_picture(tmp_path / "my ball.png")
    for name in ("read.WAV", "sub/age.wav"):
        write_sound(tmp_path / name)
    return tmp_path


def test_what_the_file_names_is_shown_and_served(folder, app):
    study, _ = app(MEDIA)
    walker = Walker(study, "p1")
    (picture,) = re.findall(r'<img src="([^"]+)" alt="A ball"', walker.page.text)
    (sound,) = re.findall(r'<audio controls preload="none" src="(.+)" aria-label="Listen"', walker.page.text)
    walker.agree()
    (age,) = re.findall(r'<audio [^>]*src="([^"]+)"', walker.page.text)
    served = {"my ball.png": (picture, "image/png"), "read.WAV": (sound, "audio/wav")}
    for name, (address, kind) in {**served, "sub/age.wav": (age, "audio/wav")}.items():
        answer = client_of(study).get(address)
        assert (answer.content, answer.headers["content-type"]) == ((folder / name).read_bytes(), kind)
    part = client_of(study).get(sound, headers={"range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, b"RIFF")
    assert "media-src 'self'" in part.headers["content-security-policy"]


def test_no_other_file_is_served(folder, app):
    study, _ = app(MEDIA)
    write_picture(folder / "secret.png")
    visitor = client_of(study)
    paths = ("study.yaml", "secret.png", "my%20ball.png", "..%2fstudy.yaml", "%2e%2e/study.db", "sub/age.wav")
    for path in (*paths, file_url("secret.png").removeprefix("/media/")):
        assert visitor.get(f"/media/{path}").status_code == 404, path
    (folder / "read.WAV").unlink()
    assert visitor.get(file_url("read.WAV")).status_code == 404


@pytest.mark.parametrize(("old", "new", "message"), CASES["absent"])
def test_a_file_that_is_missing_or_elsewhere_is_an_error(folder, old, new, message):
    write_picture(folder.parent / "x.png")
    with pytest.raises(ConfigError, match=message):
        planned(folder, MEDIA.replace(old, new))


def test_a_changed_picture_is_a_changed_study(folder, app):
    study, _ = app(MEDIA)
    Walker(study, "p1").agree()
    app(MEDIA)
    Path(folder / "my ball.png").write_bytes((folder / "read.WAV").read_bytes())
    with pytest.raises(InvalidRequest, match=r"changed since: files\."):
        app(MEDIA)
