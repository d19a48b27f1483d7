"""Runs on the shipped short form beside children and teams, through the measured link."""

import pytest

from evaluation.results import results_frame
from human_data.linking import linked, shipped_digests
from report.comparison.linking import linked_difference, linked_levels, linked_ranks, rates_beside_others
from report.comparison.page import write_comparison
from report.comparison.runs import played_run, shipped_groups
from report.comparison.whole import compare
from report.tables import cells
from testbed import SHORT_FORM
from tests.evaluation.runs import rows
from tests.report.pages import table_rows

GROUPS = shipped_groups(["children", "competition", "agents", "models"])
FIRST = [task for task in SHORT_FORM if int(task[:2]) <= 3]


def on_ours(tasks, passed, agent="m/x", animal_ai="3.1.3", **facts):
    """A run on shipped tasks, of which it passes those in `passed`."""
    found = [row for task in tasks for row in rows({task: [task in passed]}, agent, int(task[:2]))]
    known = {"digests": dict(shipped_digests()), **facts}
    return played_run(results_frame(found), False, animal_ai, **known)


def test_children_and_teams_stand_beside_a_linked_run_with_their_own_figures():
    table = rates_beside_others([on_ours(FIRST, FIRST[:6])]).table
    first = table[table["level"] == 1]
    assert first["source"].tolist() == ["run", "linked", "children", "teams"]
    own, link, children, _ = first.to_dict("records")
    assert (own["pass_rate"], own["planned"]) == (1.0, 4)
    assert (link["pass_rate"], link["low"], link["high"]) == linked(1.0, (1,), "3.1.3")[:3]
    assert (children["passes"], children["trials"]) == (142, 236)
    assert cells(link)[:3] == ("m/x, linked", "-", "4")


def test_all_linked_levels_together_have_a_sentence():
    run = on_ours(FIRST, FIRST[:6])
    found = linked(0.5, (1, 2, 3), "3.1.3")
    note, rate = rates_beside_others([run]).notes[0], f"{100 * found.rate:.0f}"
    assert f"passed 50 % of our short form of levels 1, 2 and 3, which stands for {rate} %" in note
    first, last = linked_ranks(found, (1, 2, 3))
    assert f"between {first} and {last}" in note
    assert first < last
    assert "may differ for models and people" in note


def test_intervals_contain_the_error_of_linking():
    found = linked(0.5, (1, 2, 3), "3.1.3")
    gap = linked_difference(found, GROUPS[0], FIRST)
    assert gap.value == pytest.approx(found.rate - GROUPS[0].rates[FIRST].mean())
    assert gap.high - gap.low > found.high - found.low


@pytest.mark.parametrize(
    "run",
    [
        on_ours(FIRST[1:4], FIRST[:2]),
        on_ours(FIRST, FIRST[:6], digests={}),
        on_ours(FIRST, FIRST[:6], animal_ai="4"),
        on_ours(FIRST, FIRST[:6], animal_ai=None),
        on_ours(FIRST, FIRST[:6], partial="Partial run."),
    ],
    ids=["part of a level", "unknown tasks", "version 4", "unknown version", "partial"],
)
def test_other_runs_are_not_linked(run):
    assert linked_levels(run) == ()
    found = rates_beside_others([run])
    assert set(found.table["source"]) == {"run"}
    assert "No comparison with children" in found.notes[0]


def test_a_level_that_one_run_lacks_in_part_shows_nobody_beside_it():
    part = on_ours(FIRST[:-1], FIRST[:2], "m/y")
    table = rates_beside_others([on_ours(FIRST, FIRST[:6]), part]).table
    assert set(table.query("level == 3")["source"]) == {"run"}
    assert set(table.query("level == 2")["source"]) == {"run", "linked", "children", "teams"}


def test_only_those_who_were_asked_for_stand_beside_a_run():
    run = on_ours(FIRST, FIRST[:6])
    assert set(rates_beside_others([run], ["teams"]).table["source"]) == {"run", "linked", "teams"}
    assert "Children passed" not in rates_beside_others([run], ["teams"]).notes[0]
    assert set(rates_beside_others([run], ["agents"]).table["source"]) == {"run"}


def test_a_linked_run_has_no_rank_and_no_difference_as_if_it_had_the_same_tasks(tmp_path):
    compared = compare([on_ours(SHORT_FORM, SHORT_FORM[:20])], GROUPS)
    for name in ("differences", "tasks", "ranks", "outperformed", "correlations"):
        assert compared.tables[name].empty, name
    page = write_comparison(compared, tmp_path, title="T", facts={"Animal-AI": "3.1.3"})
    cells_of_page = table_rows(page.read_text())
    assert sum("m/x, linked" in row for row in cells_of_page) == 10
    assert "Linked: the runs played other arenas" in page.read_text()
