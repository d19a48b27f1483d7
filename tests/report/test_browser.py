"""The report in a real browser, from disk and without a network."""

import re
import subprocess
from pathlib import Path

import pytest

from evaluation.log.run import open_logs
from report.build import write_log_report
from tests.llm_control.batteries import run, write_battery
from tests.people.chromium import browser

pytestmark = pytest.mark.skipif(browser() is None, reason="no browser; install one: make browser")


def opened(page, tmp_path):
    """The page's DOM after its scripts ran, and what the browser complained of."""
    command = [
        browser(), "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
        "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=5000",
        f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if ":CONSOLE" in line]


def assert_opens(report, task, tmp_path):
    for name in ("index.html", f"tasks/{task}.html", f"episodes/arena-random/{task}_1.html"):
        dom, complaints = opened(report / name, tmp_path)
        assert complaints == []
        assert "Made with arena-llm" in dom


def test_pages_open_without_a_complaint(report, tmp_path):
    assert_opens(report, "01-01-01", tmp_path)


def test_pages_of_a_conversation_under_a_control_open_without_a_complaint(tmp_path):
    battery = write_battery(tmp_path / "tasks", (20, 16), (24, 20))
    choices = {"vision": "shuffled", "images": "collage", "image_size": 64, "max_scripts": 2}
    log = run(battery, tmp_path / "logs", "arena/random", "one-conversation", **choices).log
    write_log_report(open_logs([(None, log)]), tmp_path / "report", frames=True)
    assert_opens(tmp_path / "report", "01-04-03", tmp_path)


def test_a_page_with_a_fault_would_be_noticed(report, tmp_path):
    page = report / "broken.html"
    page.write_text("<script>absent()</script><img src='absent.webp'>", "utf-8")
    try:
        _, complaints = opened(page, tmp_path)
    finally:
        page.unlink()
    assert any("absent is not defined" in line for line in complaints)


def test_a_click_on_a_heading_sorts(report, tmp_path):
    text = (report / "index.html").read_text("utf-8")
    click = """<script>addEventListener("load", () => {
      const heading = [...document.querySelectorAll("#tasks ~ .scroll th button")][2];
      heading.click(); document.title = heading.parentElement.getAttribute("aria-sort");
      document.body.dataset.order = [...heading.closest("table").tBodies[0].rows]
        .map((row) => row.cells[0].textContent).join(" ");
    })</script>"""
    page = report / "clicked.html"
    page.write_text(text.replace("</body>", f"{click}</body>"), "utf-8")
    try:
        dom, complaints = opened(page, tmp_path)
    finally:
        page.unlink()
    assert complaints == []
    assert "<title>ascending</title>" in dom
    # The pixel agent passes none of the second task's trials and both of the first's.
    assert re.search(r'data-order="02-01-01 01-01-01"', dom)


@pytest.fixture(params=["light", "dark"])
def phone(request, chromium):
    """A page of a phone, in a light or dark room."""
    context = chromium.new_context(viewport={"width": 390, "height": 800}, color_scheme=request.param)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", ["index", "tasks/01-01-01", "episodes/arena-random/01-01-01_1"])
def test_a_page_fits_a_phone_explains_its_columns_and_can_be_read(phone, report, name):
    phone.goto((report / f"{name}.html").as_uri())
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    unexplained = "[...document.querySelectorAll('.sortable th')].filter((e) => !e.title).length"
    assert phone.evaluate(unexplained) == 0
    assert phone.evaluate(Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")) >= 4.5


def test_turns_fold_and_a_link_or_paper_opens_them(phone, report):
    page = report / "episodes" / "arena-random" / "01-01-01_1.html"
    phone.goto(page.as_uri())
    turns = phone.locator("details.turn")
    phone.get_by_role("button", name="Fold all").click()
    assert turns.evaluate_all("(all) => all.filter((each) => each.open).length") == 0
    phone.goto(f"{page.as_uri()}#turn-2")
    assert turns.nth(1).evaluate("(each) => each.open")
    phone.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert turns.evaluate_all("(all) => all.every((each) => each.open)")
    rules = phone.locator("details.rules pre").text_content()
    assert "Go(" in rules
