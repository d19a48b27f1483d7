import io
import math

import numpy as np
import pandas as pd
import pytest

from human_data.baselines import (
    KNOWN_ERROR,
    LOADERS,
    TABLE_DESCRIPTIONS,
    TABLES,
    baseline_table,
    children_by_task,
    competition,
    read_table,
)
from tests.human_data.reference import converted


def test_every_table_is_explained():
    assert list(TABLE_DESCRIPTIONS) == list(LOADERS)


@pytest.mark.parametrize("name", LOADERS)
def test_every_column_is_documented_as_it_is(name):
    frame, columns = LOADERS[name](), TABLE_DESCRIPTIONS[name].columns
    kinds = {"integer": "i", "float": "f", "boolean": "b"}
    assert list(frame.columns) == [column.name for column in columns]
    assert not frame.isna().any().any()
    for column in columns:
        series = frame[column.name]
        if column.kind == "string":
            assert series.map(type).eq(str).all(), column
        else:
            assert series.dtype.kind == kinds[column.kind], column
        assert column.meaning
        assert column.unit
        if column.unit == "share 0-1":
            assert series.between(0, 1).all(), column


@pytest.mark.parametrize("name", [name for name in TABLES if name != "agents_on_both_batteries"])
def test_every_shipped_table_follows_from_the_reference(name, official_testbed):
    ours = converted(official_testbed.parent / "human_data")[name]
    text = ours.to_csv(index=False, lineterminator="\n")
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(text)), read_table(name), check_exact=True)


def test_childrens_numbers_equal_the_reference(official_testbed):
    theirs = pd.read_csv(official_testbed.parent / "human_data" / "children_by_task.csv")
    ours = children_by_task()
    for column, other in (
        ("pass_rate", "pass_rate"),
        ("low", "pass_rate_ci95_low"),
        ("high", "pass_rate_ci95_high"),
    ):
        assert np.abs(ours[column] - theirs[other]).max() <= 0.00005 + 1e-9, column


def test_the_competition_equals_the_reference(official_testbed):
    theirs = pd.read_csv(official_testbed.parent / "human_data" / "competition_overall.csv")
    both = competition().merge(theirs, left_on="team", right_on="agent", validate="one_to_one")
    assert len(both) == 68
    assert (both["passes_900"] == both["passes_900_original"]).all()
    assert (both["passes_40_x"] == both["passes_40_y"]).all()
    by_task = baseline_table("competition_by_task").groupby("team")["passed"].sum()
    assert (by_task[both["team"]].to_numpy() == both["passes_40_x"]).all()


def test_the_spread_of_children_is_of_59_with_the_known_mean():
    whole = baseline_table("children_passed_of_40")
    levels = baseline_table("children_passed_of_level")
    assert whole["children"].sum() == 59
    assert (whole["passed"] * whole["children"]).sum() == 1320
    assert (levels.groupby("level")["children"].sum() == 59).all()
    assert (levels["passed"] * levels["children"]).sum() == 1320


def test_the_wrong_published_numbers_are_nowhere(official_testbed):
    theirs = pd.read_csv(official_testbed.parent / "human_data" / "children_by_level.csv")
    ours = baseline_table("children_by_level")
    assert np.abs(ours["pass_rate"] - theirs["pass_rate"]).max() < 0.00006
    assert np.abs(ours["pass_rate"] - theirs["rate_plotted_in_aai3_paper"]).max() > 0.4
    assert "0.600" in KNOWN_ERROR
    assert math.isclose(ours["passes"].sum() / ours["trials"].sum(), 0.5593, abs_tol=5e-5)
