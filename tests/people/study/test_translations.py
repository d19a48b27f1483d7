"""Translations and words for children are whole; a study's own texts come first; sizes follow the browser."""

import re
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

import people
from arena.errors import ConfigError
from people.study.load import study_of
from people.study.plan import untranslated
from people.texts import LANGUAGES, PAGE_TEXTS, Texts, page_texts
from tests.people.study.server import TINY
from tests.people.study.walk import Walker, client_of

ENGLISH = {
    "words": {name: field.default for name, field in Texts.model_fields.items()},
    "play_words": {text: text for text in PAGE_TEXTS},
}
DUTCH = TINY.replace("language: en\n", "") + "language: nl\nwords: {agree: Ik doe mee}\n"
CHILD = TINY + "style: child\nassent: {version: a, text: Look for balls.}\nwords: {begin: Off we go}\n"
GERMAN = TINY + "language: de-CH\nwords: {agree: Ich bin dabei}\nplay_words: {Start: Auf die Plätze}\n"


def placeholders(text: str) -> list[str]:
    return sorted(re.findall(r"\{\w*\}", text))


def bundled(name: str) -> dict[str, dict[str, str]]:
    return yaml.safe_load(files("people.texts").joinpath(f"{name}.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("section", ENGLISH)
def test_every_text_is_translated(language, section):
    texts = bundled(language)[section]
    assert texts.keys() == ENGLISH[section].keys()
    assert [text for text in texts.values() if text != text.strip() or "  " in text] == []
    for name, english in ENGLISH[section].items():
        assert placeholders(texts[name]) == placeholders(english), name
    assert sum(texts[name] == english for name, english in ENGLISH[section].items()) < 5


def test_a_study_has_the_texts_of_its_language_and_its_own(app):
    study, _ = study_of(GERMAN, "s")
    assert (study.words.agree, study.words.refuse) == ("Ich bin dabei", "Ich möchte nicht mitmachen")
    assert (study.play_words["Start"], study.play_words["Reload"]) == ("Auf die Plätze", "Neu laden")
    assert (study.consent.title, study.completion.title) == ("Teilnahme an dieser Studie", "Vielen Dank!")
    assert untranslated(study) == []
    pages, _ = app(GERMAN)
    assert "Ich möchte nicht mitmachen" in Walker(pages, "p1").page.text
    assert "Bitte beginn noch einmal auf der ersten Seite." in client_of(pages).get("/withdraw").text
    assert client_of(pages).get("/play.words").json()["Reload"] == "Neu laden"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TINY, ""),
        (GERMAN, "Language de-CH: all texts of the pages are translated."),
        (DUTCH, f"language nl: no translation is included, and {sum(map(len, ENGLISH.values())) + 3} "),
    ],
    ids=["en", "de", "nl"],
)
def test_check_counts_what_is_not_translated(tmp_path, command, text, said):
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    done = command("study", str(tmp_path / "study.yaml"), "--check")
    assert done.returncode == 0
    assert said in done.stdout
    assert ("anguage" in done.stdout) == bool(said)


def test_play_has_a_language(command):
    assert page_texts("fr")["Next task"] == "Tâche suivante"
    assert page_texts("en") == {"language": "en"}
    done = command("play", "01-01-01", "--language", "xx")
    assert done.returncode == 1
    assert "--language: got 'xx', expected one of: en, de, es, fr" in done.stderr


@pytest.mark.parametrize("words", ["words: [a]", "words:", "language: [de]", "consent: 1"])
def test_a_wrong_section_is_still_reported(words):
    with pytest.raises(ConfigError, match="got"):
        study_of("language: de\n" * ("language" not in words) + f"name: n\ntitle: t\n{words}\n", "s")


LONGEST = {"en": 9, "de": 14, "es": 11, "fr": 12}
"""Letters of the longest word for children."""


@pytest.mark.parametrize("language", LONGEST)
@pytest.mark.parametrize("section", ENGLISH)
def test_texts_for_children_are_short_and_fit(section, language):
    texts = bundled(f"child.{language}")[section]
    others = ENGLISH if language == "en" else bundled(language)
    assert texts.keys() <= ENGLISH[section].keys()
    for name, text in texts.items():
        assert text != others[section][name], name
        assert {*placeholders(text)} <= {*placeholders(ENGLISH[section][name])}, name
        sentences = [sentence.split() for sentence in re.split(r"[.!?,:]\s", text)]
        assert max(map(len, sentences)) <= 11, text
        longest = max(text.split(), key=len).strip(".,!?\"'{}")
        assert len(longest) <= LONGEST[language], text


def test_a_study_for_children_speaks_to_them(app):
    found, _ = study_of(CHILD, "s")
    assert (found.words.withdraw, found.words.begin) == ("Stop playing", "Off we go")
    assert (found.words.agree, found.play_words["Next task"]) == ("I agree to take part", "Next game")
    assert found.completion.title == "You did it!"
    german, _ = study_of(f"{CHILD}language: de\n", "s")
    assert (german.words.withdraw, german.words.listen) == ("Aufhören", "Anhören")
    assert (german.play_words["Next task"], german.play_words["Turn left"]) == (
        "Nächstes Spiel",
        "Nach links drehen",
    )
    assert untranslated(german) == []
    pages, _ = app(CHILD)
    walker = Walker(pages, "p1")
    assert "I agree to take part</button>" in walker.page.text
    walker.agree()
    assert "Yes, I want to play</button>" in walker.page.text
    walker.send("/assent", answer="agree")
    assert "Stop playing</a>" in walker.page.text
    assert walker.visitor.get("/play.words").json()["Reload"] == "Try again"


def test_other_styles_are_refused():
    with pytest.raises(ConfigError, match="style: child exists in en, de, es, fr, but the language is nl"):
        study_of(f"{CHILD}language: nl\n", "s")
    with pytest.raises(ConfigError, match="style: got 'chld', exp"):
        study_of(CHILD.replace("child", "chld"), "s")


def test_no_text_has_a_size_of_its_own():
    """Sizes in pixels would not follow the font size that somebody has set in the browser."""
    sheets = list(Path(people.__file__).parent.rglob("page/*.css"))
    assert len(sheets) >= 5
    for path in sheets:
        sizes = re.findall(r"font(?:-size)?:[^;}]*?\d(?:px|pt)\b", path.read_text(encoding="utf-8"))
        assert sizes == [], path.name
