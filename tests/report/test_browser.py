"""The report in a real browser, from disk and without a network."""

import re
import subprocess

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
