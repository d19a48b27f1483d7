"""A visitor of a study's pages who has no browser: reads their forms, and sends them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

import httpx

from people.play.security import COOKIE

TIMEOUT_S = 240.0
"""Of a page; a server that starts on a busy machine takes its time."""


@dataclass
class Form:
    """A form: its address, its hidden fields, those to be filled in with what they contain, and its
    primary button, if that has a name.
    """

    action: str
    hidden: dict[str, str] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)
    button: dict[str, str] = field(default_factory=dict)


class _Forms(HTMLParser):
    """All forms of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name = given.get("name", "")
        if tag == "form":
            self.forms.append(Form(given.get("action", "")))
            self._open = True
        elif self._open and name:
            self._add(self.forms[-1], tag, name, given)

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag != "form"

    def _add(self, form: Form, tag: str, name: str, given: dict[str, str]) -> None:
        value = given.get("value", "")
        if tag == "button":
            form.button |= {name: value} if "primary" in given.get("class", "") else {}
        elif given.get("type") == "hidden":
            form.hidden[name] = value
        elif tag in ("input", "textarea", "select"):
            form.asked.setdefault(name, "" if given.get("type") in ("radio", "checkbox") else value)


def forms_of(page: str) -> list[Form]:
    """The forms of an HTML page."""
    parser = _Forms()
    parser.feed(page)
    return parser.forms


def hidden(page: str) -> dict[str, str]:
    """The hidden fields of a page's forms."""
    return {name: value for form in forms_of(page) for name, value in form.hidden.items()}


class Visitor:
    """`client` keeps the cookies; `page` is the last that was shown."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.page: httpx.Response

    @property
    def token(self) -> str:
        """The secret that identifies the participant."""
        return self.client.cookies[COOKIE]

    @property
    def stage(self) -> str:
        """The name of the stage whose page is shown; "" if it has none."""
        return hidden(self.page.text).get("stage", "")

    @property
    def at_a_task(self) -> bool:
        """Whether the study has led to the game."""
        return self.page.url.path == "/play"

    def open(self, address: str = "/") -> httpx.Response:
        """Open an address, and follow to where it leads."""
        self.page = self.client.get(address, follow_redirects=True)
        return self.page

    def send(self, address: str, **fields: str | list[str]) -> httpx.Response:
        """Send the page's form with these answers, and follow to where it leads."""
        data = hidden(self.page.text) | fields
        self.page = self.client.post(address, data=data, follow_redirects=True)
        return self.page


def client_at(url: str) -> httpx.Client:
    """A browser without a page: it keeps cookies and sends forms as a page of this server would."""
    return httpx.Client(base_url=url, headers={"origin": url}, timeout=TIMEOUT_S)
