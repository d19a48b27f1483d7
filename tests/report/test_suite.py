"""The report of a suite other than the arena: groups, episodes and transcripts, and its own panels."""

import pytest
from markupsafe import Markup

from evaluation.results import read_results
from render import Renderer
from report.build import write_log_report
from report.panels import Panel, SuiteReport
from report.run import open_logs
from tests.report.pages import table_rows


@pytest.fixture(scope="module")
def folder(logs, tmp_path_factory):
    def panels(episode):
        turns = Markup("<p>{} turns <b>so far</b></p>").format(episode.result.turns)
        return [Panel("What <happened>", turns)]

    folder = tmp_path_factory.mktemp("generic")
    opened = open_logs([(None, path) for path in logs.values()])
    write_log_report(opened, folder, draw=Renderer(512, 512).frame, suite=SuiteReport(panels))
    return folder


def test_groups_and_episodes_are_listed_without_anything_of_the_arena(folder):
    page = (folder / "index.html").read_text("utf-8")
    cells = table_rows(page)
    assert ["1", "arena/pixels", "2/2", "1", "100 %", "21-100", "-"] in cells
    assert any(row[:3] == ["01-01-01", "1", "2/2"] for row in cells)
    assert "<h1>arena/pixels and arena/random</h1>" in page
    for word in ("children", "Children", "Animal-AI", "replaying", "Food Retrieval", "Level"):
        assert word not in page, word
    assert len(read_results(folder / "results.csv")) == 8
    assert (folder / "groups.csv").is_file()
    assert (folder / "groups.svg").is_file()


def test_an_episode_is_a_transcript_with_text_pictures_and_replies(folder):
    page = (folder / "episodes" / "arena-pixels" / "01-01-01_1.html").read_text("utf-8")
    assert "What the model was sent as text" in page
    assert "sent to the model" in page
    assert "<pre>Think(" in page
    assert list((folder / "episodes" / "arena-pixels" / "01-01-01_1").glob("*.webp"))
    assert "polyline" not in page
    assert "heading" not in page


def test_a_suite_adds_panels_of_its_own(folder):
    page = (folder / "episodes" / "arena-pixels" / "01-01-01_1.html").read_text("utf-8")
    assert "<h2>What &lt;happened&gt;</h2>" in page
    assert "turns <b>so far</b></p>" in page
