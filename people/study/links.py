"""Links into a study, signed or for previews, and out of it."""

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
"""Bytes of a signature, the HMAC-SHA256 of an id. Half of its bits, the fewest that RFC 2104 advises."""

MIN_BITS = 48
"""Ids of fewer random bits can be found by trying. Ids of Prolific have 24 hexadecimal digits."""


def is_id(text: str) -> bool:
    """Return whether a text can be a participant's id or code. A leading "_" is reserved."""
    return NAME.fullmatch(text) is not None and not text.startswith("_")


def is_guessable(code: str) -> bool:
    """Return whether a code is guessable: word, zeros, few characters (12, participant-007)."""
    varying = re.sub(r"^[A-Za-z_.-]*0*", "", code)
    hexadecimal = re.fullmatch(r"[0-9a-fA-F]*", varying)
    return len(varying) * (3.3 if varying.isdigit() else 4 if hexadecimal else 5) < MIN_BITS


def signing_key(store: Store, study: str) -> bytes:
    """Return the study's secret, stored with its data. Links stay valid after a restart."""
    return store.add_participant(STUDY_CODE, study).token.encode()


def signature(key: bytes, code: str) -> str:
    """Return the signature of a participant's id. It has 22 characters that are safe in a link."""
    digest = hmac.digest(key, code.encode(), "sha256")[:SIGNATURE_BYTES]
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def is_signed(key: bytes, code: str, given: str) -> bool:
    """Return whether this is the signature of the id."""
    return hmac.compare_digest(signature(key, code).encode(), given.encode("utf-8", "replace"))


PREVIEW = "_preview"
"""Text signed by previews' links. No id begins with "_"."""


PARENT = "_parent"
"""Text signed by a parent's link, followed by slash and id. The id is the child's."""


def parents_path(key: bytes, code: str) -> str:
    """Return the path of the parent's page, by the child's code."""
    return f"/parent/{code}/{signature(key, f'{PARENT}/{code}')}"


def preview_link(study: Study, key: bytes) -> dict[str, str]:
    """Return the parameters of a link for trying the study out. The participant is new."""
    code, test = f"{TEST}-{secrets.token_hex(4)}", {TEST: signature(key, PREVIEW)}
    people = study.participants
    if people.from_ == "link":
        return {people.id: code, SIGNATURE: signature(key, code), **test}
    return {"code": code, **test}


def is_preview(key: bytes, code: str, given: Mapping[str, str]) -> bool:
    """Return whether a participant only tries the study out. Code and link parameters decide."""
    return code.startswith(f"{TEST}-") and is_signed(key, PREVIEW, given.get(TEST, ""))


def signed_text(study: Study, link: Mapping[str, str]) -> str:
    """Return the text that a signature covers: id and, if named, condition. Ids lack slashes."""
    people = study.participants
    condition = link.get(people.condition or "", "")
    return f"{link.get(people.id, '')}/{condition}" if condition else link.get(people.id, "")


def signed_links(store: Store, study: Study, ids: list[str], url: str) -> list[dict[str, str]]:
    """Return a row for each id with the link.

    Children's rows also have that of a parent; with `participants.condition` there is one for each condition.
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
    """Return the ids in a file, one per line. Raises ConfigError with file:line for an invalid one."""
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
    """Return the link for a participant with an ending, or "".

    Without an `ending` they did not agree; `parameters` are those of the participant's own link. Values are
    percent-encoded, so that they cannot change another part of the link.
    """
    completion = study.completion
    template = getattr(completion.returns, ending.returns if ending else "refused", None)
    if template is None and ending is not None and ending.page == COMPLETED:
        template = completion.link
    values = {**parameters, "participant": code, "code": completion.code}
    return PLACEHOLDER.sub(lambda found: quote(values.get(found[1], ""), safe=""), template or "")


def link_problems(study: Study) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield problems of the placeholders in a study's links. The key's path in the file, and a sentence."""
    people, completion = study.participants, study.completion
    parameters = people.parameters if people.from_ == "link" else ()
    if completion.link:
        code = ("code",) if completion.code else ()
        yield from _problems(("completion", "link"), completion.link, ("participant", *code, *parameters))
    for ending, template in completion.returns:
        # People who refuse have not entered a code; only completion yields the completion code.
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
