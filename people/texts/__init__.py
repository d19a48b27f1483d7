"""The texts that participants read, their translations, and the texts that a study's file may have."""

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
"""A style: words for children of about seven years, in English and in `LANGUAGES`."""


def _bundled(name: str) -> Mapping[str, Mapping[str, str]]:
    return data_of("people.texts", f"{name}.yaml")


PAGE_TEXTS = tuple(_bundled(LANGUAGES[0])["play_words"])
"""The English texts of the game's page, by which all translations are listed; `{...}` stands for numbers."""


_ENGLISH: dict[str, Any] = {name: (str, text) for name, text in _bundled("en")["words"].items()}


class Texts(create_model("Texts", __base__=AnswerTexts, **_ENGLISH)):  # type: ignore[misc]
    """The texts of the pages, by default those of `en.yaml`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A text by its name."""


def base_of(language: str) -> str:
    """The language of a code: "de" of "de-CH"."""
    return language.partition("-")[0].lower()


def translation(language: str) -> Mapping[str, Mapping[str, str]]:
    """Texts in a language, as the keys of a study's file; empty if there is no translation."""
    return _bundled(base_of(language)) if base_of(language) in LANGUAGES else {}


def page_texts(language: str) -> dict[str, str]:
    """The texts of the game's page in a language, by the English ones, and the language itself."""
    translated = translation(language).get("play_words", {})
    return {**translated, "language": language}


def with_translation(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a study's file, completed by the texts of its `style` and of its `language`."""
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
