"""Agents that act at every step, beside the published ones of the same kind."""

import numpy as np
import pytest

from evaluation.results import results_frame
from evaluation.statistics import wilson
from human_data.baselines import agents_by_level
from llm_control.agents.step_agents import STEP_AGENTS
from report.comparison.levels import PUBLISHED_KINDS, compare_levels
from tests.evaluation.runs import level


def published(agent, levels=range(1, 11)):
    results = results_frame([row for number in levels for row in level(number, 1, 4, agent)])
    table = compare_levels(results)
    return table[table["who"].str.contains("agent 20")]


def test_every_step_agent_has_a_published_counterpart_and_no_other_agent():
    assert set(PUBLISHED_KINDS) == {f"arena/{name}" for name in STEP_AGENTS}
    assert published("arena/pixels").empty


@pytest.mark.parametrize(("agent", "passes"), [("random-steps", 36), ("held", 36), ("braitenberg", 175)])
def test_the_published_totals_are_those_of_the_paper(agent, passes):
    table = published(f"arena/{agent}")
    latest = table[table["who"].str.endswith("2024")]
    assert (latest["passes"].sum(), latest["trials"].sum()) == (passes, 900)
    first = latest.iloc[0]
    assert (first["low"], first["high"]) == pytest.approx(wilson(first["passes"], first["trials"]))


def test_the_earlier_runs_have_their_middle_half():
    row = published("arena/braitenberg", [1, 2]).query("who.str.endswith('2023') and level == 1").iloc[0]
    runs = agents_by_level("all 900").query("agent.str.startswith('Heuristic') and paper_version == 2023")
    rates = runs.query("level == 1")["pass_rate"]
    assert (rates.min(), rates.max()) == pytest.approx((62 / 89, 67 / 87))
    quartiles = (row["quartile_1"], row["quartile_3"])
    assert quartiles == pytest.approx(tuple(np.quantile(rates, (0.25, 0.75))))


def test_only_the_played_levels_are_shown():
    assert set(published("arena/held", [1, 3])["level"]) == {1, 3}
    assert published("arena/held", [0]).empty
