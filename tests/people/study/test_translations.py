"""The included translations have every text, and a study's own texts come first."""

import re

import pytest
import yaml

from arena.errors import ConfigError
from people import translations
from people.play.page_texts import PAGE_TEXTS
from people.study.load import study_of
from people.study.texts import Texts
from people.translations import LANGUAGES, page_texts, untranslated
from tests.command import command as command
from tests.people.study.server import TINY
from tests.people.study.walk import Walker, client_of

ENGLISH = {
    "words": {name: field.default for name, field in Texts.model_fields.items()},
    "play_words": {text: text for text in PAGE_TEXTS},
}
DUTCH = TINY.replace("language: en\n", "") + "language: nl\nwords: {agree: Ik doe mee}\n"
GERMAN = TINY + "language: de-CH\nwords: {agree: Ich bin dabei}\nplay_words: {Start: Auf die Plätze}\n"


def placeholders(text: str) -> list[str]:
    return sorted(re.findall(r"\{\w*\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("section", ENGLISH)
def test_every_text_is_translated(language, section):
    folder = translations.files(translations.__name__)
    texts = yaml.safe_load(folder.joinpath(f"{language}.yaml").read_text(encoding="utf-8"))[section]
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
        (
            DUTCH,
            f"language nl: no translation is included, and {len(Texts.model_fields) + len(PAGE_TEXTS) + 3} ",
        ),
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
