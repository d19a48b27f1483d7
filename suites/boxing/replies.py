"""Parsing of tagged replies: designs, answers, and explanations."""

import re

from suites.boxing.outcomes import Floats
from suites.boxing.world import NUMBER, Field, World, WrongReplyError, numbers

_THOUGHT = re.compile(r"<thought>.*?(?:</thought>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGS = re.compile(r"</?\w+>")


def _tagged(text: str, tag: str) -> str | None:
    """Extract the last such tag's content, to the text's end if unclosed. None without the tag."""
    found = re.findall(rf"<{tag}>(.*?)(?:</{tag}>|\Z)", text, re.DOTALL | re.IGNORECASE)
    return str(found[-1]).strip() if found else None


def design_of(text: str, world: World) -> Floats:
    """Parse a reply's design (d,), by default its last line. Raises WrongReplyError."""
    spoken = _THOUGHT.sub("", text)
    tagged = _tagged(spoken, "observe")
    if tagged is not None:
        return world.parse(tagged)
    lines = [line.strip() for line in _TAGS.sub("", spoken).splitlines() if line.strip()]
    if _tagged(spoken, "answer") is not None or not lines:
        raise WrongReplyError(f"no design was found; expected <observe>{world.form}</observe>")
    try:
        return world.parse(lines[-1])
    except WrongReplyError as error:
        raise WrongReplyError(f"{error}; expected <observe>{world.form}</observe>") from None


def answers_of(text: str, fields: tuple[Field, ...], number: int) -> Floats:
    """Parse a reply's answers (number, fields). Raises WrongReplyError. Percentages count as such. Without a
    tag the numbers of the whole reply are taken if their count is right, otherwise those of its last line."""
    spoken = _THOUGHT.sub("", text)
    said = _tagged(spoken, "answer")
    expected = f"<answer>{form_of(fields, number)}</answer>"
    if said is None:
        bare = _TAGS.sub("", spoken).strip()
        whole = len(NUMBER.findall(bare)) == number * len(fields)
        said = bare if whole else bare.splitlines()[-1] if bare else ""
    if number > 1 and re.search(r"^\s*\d+\s*[.):]\s", said):
        # Numbered lines: the numbers of the questions are no answers.
        said = re.sub(r"^\s*\d+\s*[.):]\s", "", said, flags=re.MULTILINE)
    said = re.sub(rf"({NUMBER.pattern})\s*%", lambda match: f"{float(match[1]) / 100:.10g}", said)
    try:
        return numbers(said, fields * number, expected).reshape(number, len(fields))
    except WrongReplyError as error:
        raise WrongReplyError(
            f"{error}; expected {expected}" if expected not in str(error) else str(error)
        ) from None


def form_of(fields: tuple[Field, ...], number: int) -> str:
    """Describe the format of answers, such as `number; number`."""
    one = ", ".join(field.label for field in fields)
    return "; ".join([one] * number) if number <= 2 else f"{one}; {one}; ... ({number} answers)"


def explanation_of(text: str, most: int) -> tuple[str, int]:
    """Extract the explanation, cut after `most` words, and its full length. Raises WrongReplyError without an
    explanation."""
    spoken = _THOUGHT.sub("", text)
    said = _tagged(spoken, "answer")
    said = _TAGS.sub("", spoken).strip() if said is None else said
    ends = [match.end() for match in re.finditer(r"\S+", said)]
    if not ends:
        raise WrongReplyError("no explanation was found; expected <answer>the explanation</answer>")
    return said[: ends[min(most, len(ends)) - 1]], len(ends)
