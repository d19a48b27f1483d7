"""Answer forms for people: completed actions in words, or utterances."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from arena.errors import ConfigError
from arena.packages import data_of
from evaluation.by_hand.form import Choice, Command, Form, Values
from evaluation.suite import Observation, TaskSpec

CHOICES = {"observation": "both"}
"""Default choices for human play."""

TEXTS: Mapping[str, Any] = data_of(__package__, "form.yaml")
WORDS: Mapping[str, str] = TEXTS["words"]
"""Actions in words by models' verbs; the first match counts."""

_BLANK = re.compile("OBJ|WAY|PLACE|NUMBER")
_READ = {
    verb: re.compile(_BLANK.sub("(.+)", words), re.IGNORECASE | re.DOTALL) for verb, words in WORDS.items()
}


def form(task: TaskSpec, choices: Any, observation: Observation) -> Form:
    """Make a line for an action with visible names, or the utterances."""
    data = observation.data
    verbs = dict.fromkeys(call.partition("(")[0] for call in data["templates"])
    help_text = TEXTS["help"].format(actions="\n".join(f"- {WORDS[verb]}" for verb in (*verbs, "post")))
    if options := data["options"]:
        said = tuple(f"{number}: {text}" for number, text in options.items())
        choice = Choice(id="said", ask="Say", options=said)
        return Form(TEXTS["talk"], (choice,), _number, text=data["text"], help=help_text, task=data["task"])
    line = Command(
        id="action",
        ask="Action",
        longest=500,
        templates=tuple(map(in_words, data["templates"])),
        words=tuple(data["labels"]),
        buttons=tuple(map(in_words, data["moves"])),
        near="In sight",
    )

    def reply(values: Values) -> str:
        return called(str(values["action"]), data["labels"])

    return Form(TEXTS["intro"], (line,), reply, text=data["text"], help=help_text, task=data["task"])


def _number(values: Values) -> str:
    """Return the number of the utterance."""
    return str(values["said"]).partition(":")[0]


def in_words(call: str) -> str:
    """Convert use(meter, OBJ) to words: use meter on OBJ."""
    verb, _, inside = call.removesuffix(")").partition("(")
    given = iter(inside.split(", "))
    return _BLANK.sub(lambda _: next(given), WORDS[verb])


def called(text: str, labels: Iterable[str]) -> str:
    """Convert a person's words to a model's action. Raises ConfigError for other words, or if none of these
    labels has that name."""
    text = " ".join(text.split()).rstrip(".")
    tried = ((verb, pattern.fullmatch(text)) for verb, pattern in _READ.items())
    verb, given = next(((verb, found.groups()) for verb, found in tried if found), ("", ()))
    if not verb:
        raise ConfigError(f"Action: got {text!r:.60}, expected one that is offered while you type")
    known = {label.casefold() for label in labels}
    if "OBJ" in WORDS[verb] and verb != "beside":
        for name in given:
            if name.casefold() not in known:
                raise ConfigError(f"Action: got {name!r:.60}, expected the name of something in sight")
    return f"{verb}({', '.join(given)})"
