"""Links: signed and previewing ones that lead into a study, and those that lead out of it."""

import base64
import hmac
import re
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, urlencode

from arena.errors import ConfigError
from arena.files import read_text
from people.store import Store
from people.store.database import NAME
from people.store.participation import COMPLETED, Ending
from people.store.tables import STUDY_CODE
from people.study.config import SIGNATURE, TEST, Study

SIGNATURE_BYTES = 16
"""Of the HMAC-SHA256 of an id: half of its bits, the fewest that RFC 2104 advises."""

MIN_BITS = 48
"""Ids of fewer random bits can be found by trying; those of Prolific have 24 hexadecimal digits."""


def is_id(text: str) -> bool:
    """Whether a text can be the id or code of a participant; a leading "_" is reserved for internal rows."""
    return NAME.fullmatch(text) is not None and not text.startswith("_")


def is_guessable(code: str) -> bool:
    """Whether a code can be guessed, such as 12, anna or participant-007: a word, zeros, few characters."""
    varying = re.sub(r"^[A-Za-z_.-]*0*", "", code)
    hexadecimal = re.fullmatch(r"[0-9a-fA-F]*", varying)
    return len(varying) * (3.3 if varying.isdigit() else 4 if hexadecimal else 5) < MIN_BITS


def signing_key(store: Store, study: str) -> bytes:
    """The study's secret, which is stored with its data, so that links stay valid after a restart."""
    return store.add_participant(STUDY_CODE, study).token.encode()


def signature(key: bytes, code: str) -> str:
    """The signature of a participant's id: 22 characters that are safe in a link."""
    digest = hmac.digest(key, code.encode(), "sha256")[:SIGNATURE_BYTES]
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def is_signed(key: bytes, code: str, given: str) -> bool:
    """Whether this is the signature of the id."""
    return hmac.compare_digest(signature(key, code).encode(), given.encode("utf-8", "replace"))


PREVIEW = "_preview"
"""What previews' links sign; nobody's id begins with "_"."""


PARENT = "_parent"
"""With a slash and a child's id, what the link for a parent signs."""


def parents_path(key: bytes, code: str) -> str:
    """The address of the page for the parent of the child with this code, on the study's server."""
    return f"/parent/{code}/{signature(key, f'{PARENT}/{code}')}"


def preview_link(study: Study, key: bytes) -> dict[str, str]:
    """The parameters of a link for somebody new who tries the study out."""
    code, test = f"{TEST}-{secrets.token_hex(4)}", {TEST: signature(key, PREVIEW)}
    people = study.participants
    if people.from_ == "link":
        return {people.id: code, SIGNATURE: signature(key, code), **test}
    return {"code": code, **test}


def is_preview(key: bytes, code: str, given: Mapping[str, str]) -> bool:
    """Whether a participant with this code and these parameters only tries the study out."""
    return code.startswith(f"{TEST}-") and is_signed(key, PREVIEW, given.get(TEST, ""))


def signed_text(study: Study, link: Mapping[str, str]) -> str:
    """What a link's signature covers: the id and, if it is named, the condition; ids have no slash."""
    people = study.participants
    condition = link.get(people.condition or "", "")
    return f"{link.get(people.id, '')}/{condition}" if condition else link.get(people.id, "")


def signed_links(store: Store, study: Study, ids: list[str], url: str) -> list[dict[str, str]]:
    """A row for each id with the link, for children also that of a parent; with `participants.condition` one
    for each condition.

    `url` is the address of the study's first page.
    """
    key, people = signing_key(store, study.name), study.participants
    conditions = list(study.conditions) if people.condition else [""]
    rows = []
    for code in ids:
        for condition in conditions:
            link = {people.id: code, **({people.condition: condition} if people.condition else {})}
            link[SIGNATURE] = signature(key, signed_text(study, link))
            row = {"id": code, **({"condition": condition} if people.condition else {})}
            parent = {"parent": url.rstrip("/") + parents_path(key, code)} if study.kind == "child" else {}
            rows.append({**row, "link": f"{url}?{urlencode(link)}", **parent})
    return rows


def read_ids(path: Path) -> list[str]:
    """The ids in a file, one in each line. Raises ConfigError with file and line if one is not an id."""
    ids: dict[str, int] = {}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not (code := line.strip()):
            continue
        if not is_id(code):
            expected = "expected 1 to 64 letters, digits, '_', '-' or '.', with a letter or digit first"
            raise ConfigError(f"{path}:{number}: got {code[:80]!r}, {expected}")
        if code in ids:
            raise ConfigError(f"{path}:{number}: {code} is listed twice, first on line {ids[code]}")
        ids[code] = number
    if not ids:
        raise ConfigError(f"{path}: no ids; write one in each line")
    return list(ids)


PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def return_link(study: Study, ending: Ending | None, code: str, parameters: Mapping[str, str]) -> str:
    """The link for a participant whose study ended like this, "" if there is none.

    Without an `ending` they did not agree; `parameters` are those of the participant's own link. Values are
    percent-encoded, so that none can change another part of the link.
    """
    completion = study.completion
    template = getattr(completion.returns, ending.returns if ending else "refused", None)
    if template is None and ending is not None and ending.page == COMPLETED:
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
