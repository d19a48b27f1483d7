import pandas as pd
import pytest

from human_data import baselines
from human_data.baselines import (
    agents_by_level,
    children_by_level,
    children_by_task,
    competition_by_level,
    language_models_by_level,
    top_ten_by_level,
)

LOADERS = [
    children_by_level,
    children_by_task,
    competition_by_level,
    top_ten_by_level,
    agents_by_level,
    language_models_by_level,
]


@pytest.mark.parametrize("loader", LOADERS)
def test_every_table_is_complete_and_documented(loader):
    frame = loader()
    assert not frame.isna().any().any()
    assert frame["pass_rate"].between(0, 1).all()
    assert all(f"`{column}`" in loader.__doc__ for column in frame.columns)


def test_children_passed_1320_of_2360():
    assert (children_by_level()["passes"].sum(), children_by_level()["trials"].sum()) == (1320, 2360)
    by_task = children_by_task().groupby("level")["passes"].sum()
    assert by_task.to_list() == children_by_level()["passes"].to_list()


def test_the_winner_passed_393_of_900():
    teams = competition_by_level("all 900")
    assert teams["team"].nunique() == 68
    assert teams[teams["team"] == "Trrrrr"]["passes"].sum() == 393
    assert (teams.groupby("team")["tasks"].sum() == 900).all()


def test_the_top_ten_counts_twins_once():
    assert (top_ten_by_level()["teams"] == 10).all()
    teams = competition_by_level("all 900").pivot(index="team", columns="level", values="passes")
    assert teams.loc[baselines._TWIN].equals(teams.loc["Oltau.ai"])


def test_the_figures_are_those_of_the_reference(official_testbed):
    reference = pd.read_csv(official_testbed.parent / "human_data" / "summary_by_level_40_tasks.csv")
    assert children_by_level()["pass_rate"].round(4).to_list() == reference["children_mean"].to_list()
    top = top_ten_by_level()
    assert top["pass_rate"].round(4).to_list() == reference["top10_mean"].to_list()
    assert top["quartile_1"].round(4).to_list() == reference["top10_q1"].to_list()
    assert top["quartile_3"].round(4).to_list() == reference["top10_q3"].to_list()
