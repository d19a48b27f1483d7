"""The links that lead participants back to where they came from; `{names}` in them are filled in."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from people.study.config import Study

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def return_link(study: Study, ending: str, code: str, parameters: Mapping[str, str]) -> str:
    """The link for a participant whose study ended like this, "" if there is none.

    `ending` is "completed" or a key of `completion.returns`; `parameters` are those of the participant's own
    link. Values are percent-encoded, so that none can change another part of the link.
    """
    completion = study.completion
    template = getattr(completion.returns, ending, None)
    ends_early = study.practice is not None and study.practice.if_failed == "end"
    if template is None and ending not in ("refused", "stopped", "screened", "failed" if ends_early else ""):
        template = completion.link
    values = {**parameters, "participant": code, "code": completion.code}
    return PLACEHOLDER.sub(lambda found: quote(values.get(found[1], ""), safe=""), template or "")


def link_problems(study: Study) -> Iterator[tuple[tuple[str, ...], str]]:
    """What is wrong with the placeholders of a study's links: the key's path in the file, and a sentence."""
    people, completion = study.participants, study.completion
    parameters = people.parameters if people.from_ == "link" else ()
    if completion.link:
        code = ("code",) if completion.code else ()
        yield from _problems(("completion", "link"), completion.link, ("participant", *code, *parameters))
    for ending, template in completion.returns:
        # Who refuses has not entered a code, and only who completes gets the completion code.
        known = ("participant", *parameters) if parameters or ending != "refused" else ()
        if template:
            yield from _problems(("completion", "returns", ending), template, known)


def _problems(
    loc: tuple[str, ...], template: str, known: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    listed = ", ".join(f"{{{name}}}" for name in known) or "no names in braces"
    for name in PLACEHOLDER.findall(template):
        if name not in known:
            why = (
                "completion.code is missing" if loc[-1] == "link" and name == "code" else "nothing to fill in"
            )
            yield loc, f"{'.'.join(loc)}: {{{name}}}: {why}; expected {listed}"
    if set("{}") & set(PLACEHOLDER.sub("", template)):
        yield loc, f"{'.'.join(loc)}: got a single brace in {template!r}; write %7B or %7D, or close it"
