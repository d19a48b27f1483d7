"""Participants' texts, their translations, and the texts of study files."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import create_model

from arena.packages import data_of
from evaluation.by_hand.form import AnswerTexts

FULL = "Too many people are playing right now. Please try again later."
START_AGAIN = "Please start again from the first page."
DELETED = "Your data have been deleted, as requested."
AWAY = "You were away for a while, and others were waiting to play."
NOT_STORED = "Your answer could not be stored. Please try again."
TOO_OFTEN = "Too many requests came from your network. Please try again in a minute."

LANGUAGES = ("de", "es", "fr")
"""Languages with a translation, besides English."""

CHILD = "child"
"""Style for children of about seven years, in English and in `LANGUAGES`."""


def _bundled(name: str) -> Mapping[str, Mapping[str, str]]:
    return data_of("people.texts", f"{name}.yaml")


PAGE_TEXTS = tuple(_bundled(LANGUAGES[0])["play_words"])
"""English texts of the game's page. All translations are listed by them; `{...}` stands for numbers."""


_ENGLISH: dict[str, Any] = {name: (str, text) for name, text in _bundled("en")["words"].items()}


class Texts(create_model("Texts", __base__=AnswerTexts, **_ENGLISH)):  # type: ignore[misc]
    """The texts of the pages, by default those of `en.yaml`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A text by its name."""


def base_of(language: str) -> str:
    """Return the language of a code: "de" of "de-CH"."""
    return language.partition("-")[0].lower()


def translation(language: str) -> Mapping[str, Mapping[str, str]]:
    """Texts in a language, as the keys of a study's file. Empty if there is no translation."""
    return _bundled(base_of(language)) if base_of(language) in LANGUAGES else {}


def page_texts(language: str) -> dict[str, str]:
    """Return the game page's texts in a language, and the language. They are listed by the English ones."""
    return {**translation(language).get("play_words", {}), "language": language}


def with_translation(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a study file's values with its `style` and `language` texts."""
    given = values.get("language")
    language = given if isinstance(given, str) else "en"
    layers = [translation(language)]
    if values.get("style") == CHILD and base_of(language) in ("en", *LANGUAGES):
        layers.insert(0, _bundled(f"{CHILD}.{base_of(language)}"))
    completed = dict(values)
    for section, texts in ((section, texts) for layer in layers for section, texts in layer.items()):
        # A section that is missing or of another kind is reported by the schema; these may be missing.
        own = completed.get(section, {} if section in ("completion", "words", "play_words") else None)
        if isinstance(own, Mapping):
            completed[section] = {**texts, **own}
    return completed
