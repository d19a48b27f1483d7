"""The texts that participants read, their translations, and the texts that a study's file may have."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

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


@cache
def _bundled(name: str) -> Mapping[str, Mapping[str, str]]:
    content = files(__name__).joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = yaml.safe_load(content)
    return found


PAGE_TEXTS = tuple(_bundled(LANGUAGES[0])["play_words"])
"""The English texts of the game's page, by which all translations are listed; `{...}` stands for numbers."""


class Texts(AnswerTexts):
    """Each text with its English default; `{n}` and `{count}` are numbers, `{low}` and `{high}` limits."""

    agree: str = "I agree to take part"
    refuse: str = "I do not want to take part"
    next: str = "Continue"
    begin: str = "Begin"
    code: str = "Your participant code"
    code_help: str = "The person running the study gave it to you."
    code_form: str = "A code has letters, digits, '-', '_' and '.', and no spaces."
    code_unknown: str = "We don't recognise this code. Please check it."
    code_taken: str = (
        "This code is already in use. Please continue in the browser in which you started, or ask the person "
        "running the study."
    )
    not_answered: str = "not answered yet"
    see_below: str = "Some answers are missing or need correcting. They are marked below."
    listen: str = "Listen"
    speech: str = "A voice of this browser reads the text aloud."
    optional: str = "(optional)"
    page_of: str = "Part {n} of {count}"
    break_title: str = "Time for a break"
    break_text: str = (
        "You have done {n} of {count} tasks. Rest your eyes and hands, and continue when you are ready."
    )
    practice: str = "Practice"
    tutorial: str = "Tutorial"
    picture: str = "A look at the picture"
    moved: str = "You continued in another window. This is where you are now."
    elsewhere_title: str = "Opened in another window"
    elsewhere: str = "This page was opened in another window. Please continue there."
    here: str = "Continue here"
    refused_title: str = "Thank you"
    refused: str = "You have chosen not to take part. Nothing about you was stored. You can close this page."
    full_title: str = "The study is full"
    full: str = "Thank you for your interest. Nobody else can take part at the moment."
    changed_mind: str = "I have changed my mind"
    screened_title: str = "The study ends here"
    screened: str = "Thank you for your time. Unfortunately you cannot continue with this study."
    device_title: str = "The study ends here"
    device: str = (
        "Thank you for your time. On this device, or over this connection, the pictures come too slowly for "
        "this study."
    )
    failed_title: str = "The study ends here"
    failed: str = "Thank you for your time and for trying. The study ends with the practice."
    withdraw: str = "Leave the study"
    withdraw_title: str = "Leave the study?"
    withdraw_text: str = (
        "You may leave at any time, without giving a reason. You cannot come back afterwards."
    )
    stay: str = "No, continue the study"
    parent_title: str = "Your child in this study"
    parent_text: str = (
        "You can end your child's part in the study at any time. Afterwards it cannot continue."
    )
    parent_stop: str = "Stop for my child"
    parent_waiting: str = "Your child has not begun yet."
    parent_over: str = "The study is over for your child."
    withdrawn_title: str = "You have left the study"
    withdrawn: str = (
        "Thank you for your time. If you would like your data to be deleted, please tell the person running "
        "the study."
    )
    completion_code: str = "Your completion code"
    finish: str = "Finish"
    another: str = "Start with the next person"
    unavailable: str = "The database is not responding. Nothing is lost. Please reload this page in a moment."
    no_page: str = "This page does not exist."
    link_incomplete: str = "This link is incomplete. Please open the whole link exactly as you received it."


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
