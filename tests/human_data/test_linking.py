"""The table that links the two batteries: how well it predicts, and that it is the one that is measured."""

import re

import numpy as np
import pandas as pd
import pytest

from arena import Episode
from benchmarks.linking import AGENTS, passes
from human_data.baselines import agents_on_both_batteries
from human_data.linking import (
    ORIGINAL,
    SHIPPED,
    is_current,
    linkable_levels,
    linked,
    predict,
    rates_on,
    shipped_digests,
    short_form_version,
)
from testbed import CHILDREN, LEVEL_NAMES, SHORT_FORM, find_tasks
from testbed.originals import digests

CLOCKS = ("3.1.3", "2")
SCOPES = [tuple(LEVEL_NAMES), *((level,) for level in LEVEL_NAMES)]


def kind(agent):
    """The first word of an agent's name: several agents are one kind with different limits."""
    return re.split("[, -]", agent)[0]


def left_out(levels, animal_ai, same=str):
    """Whether each agent lies in the interval that the others predict, and the width of that.

    With an agent, all are left out of which `same` gives the same.
    """
    rates = rates_on(levels, animal_ai)
    for agent, own in rates.iterrows():
        others = [other for other in rates.index if same(other) != same(agent)]
        found = predict(rates.loc[others], own[SHIPPED], 4 * len(levels))
        yield found.low - 1e-9 <= own[ORIGINAL] <= found.high + 1e-9, found.high - found.low


@pytest.mark.parametrize("same", [str, kind])
@pytest.mark.parametrize("animal_ai", CLOCKS)
def test_agents_left_out_lie_in_the_interval_that_the_others_predict(animal_ai, same):
    cases = [case for levels in SCOPES for case in left_out(levels, animal_ai, same)]
    assert len(cases) == 11 * len(AGENTS)
    assert sum(inside for inside, _ in cases) / len(cases) >= 0.9
    whole = list(left_out(SCOPES[0], animal_ai, same))
    assert sum(inside for inside, _ in whole) / len(whole) >= 0.9


def test_the_interval_is_that_of_one_more_point_of_a_regression():
    """By hand for 4 agents on so many tasks that they scatter more than tasks do."""
    x, y = np.array([0.2, 0.4, 0.6, 0.8]), np.array([0.3, 0.42, 0.45, 0.6])
    found = predict(pd.DataFrame({SHIPPED: x, ORIGINAL: y}), 0.5, tasks=10**9)
    residuals = y - np.polyval(np.polyfit(x, y, 1), x)
    # Student's quantile for 2 degrees of freedom; the rate is the mean of the four.
    half = 4.302653 * np.sqrt((residuals**2).sum() / 2 * (1 + 1 / 4))
    assert tuple(found[:3]) == pytest.approx((0.4425, 0.4425 - half, 0.4425 + half), abs=1e-4)


def test_the_interval_over_all_levels_says_more_than_none():
    """A prediction that is always from 0 to 1 would contain everything."""
    for animal_ai in CLOCKS:
        widths = [width for _, width in left_out(SCOPES[0], animal_ai)]
        assert sum(widths) / len(widths) < 0.5


def test_the_table_is_of_the_shipped_tasks_and_of_those_that_children_did():
    table = agents_on_both_batteries()
    assert is_current()
    originals = short_form_version({task: digests("original")[task] for task in CHILDREN})
    assert set(table.query("battery == @ORIGINAL")["tasks_version"]) == {originals}
    assert (table["tasks"] == 4).all()
    assert len(table) == len(AGENTS) * 3 * len(LEVEL_NAMES)
    assert set(table["agent"]) == set(AGENTS)


def test_agents_are_of_many_kinds_and_several_pass_some_and_fail_some():
    rates = rates_on(SCOPES[0], "2")
    assert len(rates) >= 8
    assert (rates[ORIGINAL].between(0.1, 0.9)).sum() >= 5


@pytest.mark.parametrize("agent", ["braitenberg", "braitenberg, sight 10 m", "random"])
def test_measured_again_an_agent_has_the_rows_of_the_table(agent):
    verdicts = []
    for task in find_tasks((2,)):
        if task.id in SHORT_FORM:
            with Episode(task.spec, task_id=task.id) as episode:
                verdicts.append(passes(agent, episode))
    row = agents_on_both_batteries().query(
        "agent == @agent and battery == @SHIPPED and animal_ai == '3.1.3' and level == 2"
    )
    assert row["passes"].tolist() == [sum(verdicts)]


def test_only_whole_levels_of_the_shipped_tasks_are_linked():
    known = dict(shipped_digests())
    first = [task for task in SHORT_FORM if task.startswith("01")]
    assert linkable_levels(known, SHORT_FORM) == tuple(LEVEL_NAMES)
    assert linkable_levels(known, first) == (1,)
    assert linkable_levels(known, first[1:]) == ()
    assert linkable_levels({**known, first[0]: "0" * 64}, first) == ()
    assert linkable_levels({}, first) == ()


def test_a_version_that_nobody_was_measured_under_is_not_linked():
    assert linked(0.5, (1, 2, 3), "4") is None
    assert linked(0.5, (1, 2, 3), None) is None
    found = linked(0.5, (1, 2, 3), "3.1.3")
    assert 0 <= found.low < found.rate < found.high <= 1


def test_agents_that_agree_leave_the_error_of_few_tasks():
    alike = pd.DataFrame({SHIPPED: [0.0, 0.5, 1.0] * 4, ORIGINAL: [0.0, 0.5, 1.0] * 4})
    few, many = predict(alike, 0.5, 4), predict(alike, 0.5, 400)
    assert few.rate == many.rate == pytest.approx(0.5)
    assert few.high - few.low > 0.8
    assert 0.1 < many.high - many.low < 0.3
