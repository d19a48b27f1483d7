"""Which choices of a protocol exclude each other, and why."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from arena.errors import ConfigError

Choices = Mapping[str, Any]


class Contradiction(ConfigError):
    """Choices that exclude each other.

    `fields` are their names, `values` all choices, `reason` is a clause that says why.
    """

    def __init__(self, fields: tuple[str, ...], values: Choices, reason: str) -> None:
        super().__init__(fields, values, reason)
        self.fields = fields
        self.values = values
        self.reason = reason

    def told(self, origins: Mapping[str, str]) -> str:
        """The sentence, with where each choice comes from."""
        named = [f"{field} = {shown(self.values[field])}{_from(origins.get(field))}" for field in self.fields]
        return f"{' and '.join(named)}: impossible together, because {self.reason}"

    def __str__(self) -> str:
        return self.told({})


def _from(origin: str | None) -> str:
    return f" ({origin})" if origin else ""


def shown(value: object) -> str:
    """A choice as it is written on a command line."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


class _Rule(NamedTuple):
    fields: tuple[str, ...]
    broken: Callable[[Choices], bool]
    reason: str


def _without_pictures(field: str, changed: Callable[[Any], bool]) -> _Rule:
    return _Rule(
        ("observation", field),
        lambda c: c["observation"] == "text" and changed(c[field]),
        "there are no pictures to which it could apply",
    )


def _without_scripts(field: str, changed: Callable[[Any], bool]) -> _Rule:
    return _Rule(
        ("replies", field),
        lambda c: c["replies"] == "steps" and changed(c[field]),
        "a policy acts at every step of an episode of its own, without scripts",
    )


_RULES = (
    _without_scripts("max_scripts", lambda value: value is not None),
    _without_scripts("loop_turns", lambda value: value is not None),
    _without_scripts("conversation", lambda value: value != "episode"),
    _without_scripts("demonstration", bool),
    _without_scripts("one_step", bool),
    _without_scripts("observation", lambda value: value != "image"),
    _without_pictures("vision", lambda value: value != "true"),
    _without_pictures("grayscale", bool),
    _without_pictures("blur_px", bool),
    _without_pictures("resolution", lambda value: value is not None),
    _without_pictures("images_per_script", lambda value: value > 1),
    _without_pictures("image_every", lambda value: value is not None),
    _Rule(
        ("observation", "vision"),
        lambda c: c["observation"] == "both" and c["vision"] != "true",
        "the words would tell what the pictures are to hide",
    ),
    _Rule(
        ("vision", "demonstration"),
        lambda c: c["vision"] != "true" and c["demonstration"],
        "the demonstration shows what the control is to hide",
    ),
    _Rule(
        ("images_per_script", "image_every"),
        lambda c: c["images_per_script"] > 1 and c["image_every"] is not None,
        "both say where along a script the pictures are taken",
    ),
    _Rule(
        ("one_step", "images_per_script"),
        lambda c: c["one_step"] and c["images_per_script"] > 1,
        "a script of one step has one picture",
    ),
    _Rule(
        ("one_step", "image_every"),
        lambda c: c["one_step"] and c["image_every"] is not None,
        "a script of one step has one picture",
    ),
    _Rule(
        ("one_step", "demonstration"),
        lambda c: c["one_step"] and c["demonstration"],
        "the demonstration's scripts have many steps",
    ),
    _Rule(
        ("replies", "demonstration"),
        lambda c: c["replies"] == "tools" and c["demonstration"],
        "the demonstration answers in text",
    ),
    _Rule(
        ("observation", "demonstration"),
        lambda c: c["observation"] != "image" and c["demonstration"],
        "the demonstration is shown in pictures alone",
    ),
    _Rule(
        ("thought_chars", "demonstration"),
        lambda c: c["thought_chars"] is not None and c["demonstration"],
        "the demonstration thinks as long as it likes",
    ),
    _Rule(
        ("replies", "tools"),
        lambda c: c["replies"] == "text" and tuple(c["tools"]) != ("act",),
        "without tool calls there are no tools to choose",
    ),
    _Rule(
        ("max_scripts", "loop_turns"),
        lambda c: c["max_scripts"] is None and c["loop_turns"] is None and c["replies"] != "steps",
        "a model whose replies take no time would never end; give a number of loop_turns",
    ),
    _Rule(
        ("conversation", "order"),
        lambda c: c["conversation"] == "episode" and c["order"] != "listed",
        "episodes of their own have no order",
    ),
    _Rule(
        ("resolution", "image_size"),
        lambda c: c["resolution"] is not None and c["resolution"] > c["image_size"],
        "a picture cannot have more distinct pixels than pixels",
    ),
)


def refuse_contradictions(choices: Choices) -> None:
    """Raise `Contradiction` for the first rule that the choices break."""
    for rule in _RULES:
        if rule.broken(choices):
            raise Contradiction(rule.fields, choices, rule.reason)
