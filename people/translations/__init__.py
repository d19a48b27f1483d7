"""Bundled translations of the texts that a study's pages and the game show by default."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

from people.play.page_texts import PAGE_TEXTS
from people.study.texts import Texts, base_of

if TYPE_CHECKING:
    from people.study.config import Study

LANGUAGES = ("de", "es", "fr")
"""Languages with a translation, besides English."""

CHILD = "child"
"""A style: English for children of about seven years."""

_OPTIONAL = ("completion", "words", "play_words")
"""Sections that a study's file need not have."""


def translation(language: str) -> Mapping[str, Mapping[str, str]]:
    """Texts in a language, as the keys of a study's file; empty if there is no translation."""
    return _bundled(base_of(language)) if base_of(language) in LANGUAGES else {}


@cache
def _bundled(name: str) -> Mapping[str, Mapping[str, str]]:
    content = files(__package__).joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = yaml.safe_load(content)
    known = {"words": Texts.model_fields, "play_words": PAGE_TEXTS}
    return {
        section: {key: value for key, value in texts.items() if key in known.get(section, texts)}
        for section, texts in found.items()
    }


def page_texts(language: str) -> dict[str, str]:
    """The texts of the game's page in a language, by the English ones, and the language itself."""
    translated = translation(language).get("play_words", {})
    return {**translated, "language": language}


def with_translation(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a study's file, completed by the texts of its `style`, or of its `language`."""
    given, style = values.get("language"), values.get("style")
    language = given if isinstance(given, str) else "en"
    completed = dict(values)
    child = style == CHILD and base_of(language) == "en"
    for section, texts in (_bundled(CHILD) if child else translation(language)).items():
        own = values.get(section, {} if section in _OPTIONAL else None)
        # A section that is missing or of another kind is reported by the schema.
        if isinstance(own, Mapping):
            completed[section] = {**texts, **own}
    return completed


def untranslated(study: "Study") -> list[str]:
    """The keys of a study's file whose texts are shown in English although its language is another."""
    if base_of(study.language) == "en":
        return []
    shown = {
        "consent": (study.consent, ("title",)),
        "participants": (study.participants, ("title",)),
        "completion": (study.completion, ("title", "text")),
        "words": (study.words, tuple(Texts.model_fields)),
    }
    return [
        *(
            f"{name}.{key}"
            for name, (part, keys) in shown.items()
            for key in keys
            if key not in part.model_fields_set
        ),
        *(f"play_words.{text}" for text in PAGE_TEXTS if text not in study.play_words),
    ]
