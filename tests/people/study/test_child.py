"""Words for children, and pages that follow the browser's font size and colours."""

import re
from pathlib import Path

import pytest
import yaml

from arena.errors import ConfigError
from people import play, study, translations
from people.play.page_texts import PAGE_TEXTS
from people.study.load import study_of
from people.study.texts import Texts
from tests.people.study.server import TINY
from tests.people.study.walk import Walker

CHILD = TINY + "style: child\nassent: {version: a, text: Look for balls.}\nwords: {begin: Off we go}\n"
ENGLISH = {
    "words": {name: field.default for name, field in Texts.model_fields.items()},
    "play_words": {text: text for text in PAGE_TEXTS},
}


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{\w*\}", text))


@pytest.mark.parametrize("section", ENGLISH)
def test_texts_for_children_are_short_and_fit(section):
    folder = translations.files(translations.__name__)
    texts = yaml.safe_load(folder.joinpath("child.yaml").read_text(encoding="utf-8"))[section]
    assert texts.keys() <= ENGLISH[section].keys()
    for name, text in texts.items():
        assert text != ENGLISH[section][name], name
        assert placeholders(text) <= placeholders(ENGLISH[section][name]), name
        sentences = [sentence.split() for sentence in re.split(r"[.!?,]\s", text)]
        assert max(map(len, sentences)) <= 11, text
        assert [word for word in text.split() if len(word.strip(".,!?\"'{}")) > 9] == [], text


def test_a_study_for_children_speaks_to_them(app):
    found, _ = study_of(CHILD, "s")
    assert (found.words.withdraw, found.words.begin) == ("Stop playing", "Off we go")
    assert (found.words.agree, found.play_words["Next task"]) == ("I agree to take part", "Next game")
    assert found.completion.title == "You did it!"
    pages, _ = app(CHILD)
    walker = Walker(pages, "p1")
    assert "I agree to take part</button>" in walker.page.text
    walker.agree()
    assert "Yes, I want to play</button>" in walker.page.text
    walker.send("/assent", answer="agree")
    assert "Stop playing</a>" in walker.page.text
    assert walker.visitor.get("/play.words").json()["Reload"] == "Try again"


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ("language: de\n", "style: child is in English, but the language is de"),
        ("", "style: got 'chld', exp"),
    ],
)
def test_other_styles_are_refused(extra, said):
    with pytest.raises(ConfigError, match=said):
        study_of(CHILD.replace("child", "child" if extra else "chld") + extra, "s")


def test_no_text_has_a_size_of_its_own():
    """Sizes in pixels would not follow the font size that somebody has set in the browser."""
    sheets = [path for part in (play, study) for path in Path(part.__file__).parent.glob("page/*.css")]
    assert len(sheets) >= 2
    for path in sheets:
        sizes = re.findall(r"font(?:-size)?:[^;}]*?\d(?:px|pt)\b", path.read_text(encoding="utf-8"))
        assert sizes == [], path.name
