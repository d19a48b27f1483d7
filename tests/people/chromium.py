"""A real browser for the tests of pages."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
WAIT_MS = 120_000

CONTINUE = """
setInterval(() => {
  const text = document.querySelector("#card-text")?.textContent ?? "";
  if (document.body?.dataset.state === "paused" && /could not keep up|was too slow/.test(text))
    document.body.dispatchEvent(new KeyboardEvent("keydown", { code: "KeyP", bubbles: true }));
}, 100);
"""
"""Continues a game that was paused because the machine is busy."""


def browser() -> str | None:
    """The path of a Chromium or Chrome, None where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None)


def skip_without_browser() -> None:
    """Skip the calling module if there is no browser."""
    if browser() is None:
        pytest.skip("no browser; install one: make browser", allow_module_level=True)


@contextmanager
def launched() -> Iterator:
    """The browser, until the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser(), args=list(FLAGS))
        yield chromium
        chromium.close()


@contextmanager
def watched_page(chromium, forgiven: Callable[[str], bool]) -> Iterator:
    """A page of a new visitor; any error on it fails the test unless it is `forgiven`."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page, complaints = context.new_page(), []
    page.set_default_timeout(WAIT_MS)
    page.add_init_script(CONTINUE)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    yield page
    context.close()
    assert [text for text in complaints if not forgiven(text)] == []
