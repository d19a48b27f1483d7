import pandas as pd
import pytest

from arena import EvaluationError
from human_data import baselines
from human_data.baselines import (
    TABLES,
    children_by_level,
    children_by_task,
    competition_by_level,
    language_models_by_task,
    read_table,
    top_ten_by_level,
)
from testbed import CHILDREN


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
    assert teams.loc[baselines._DUPLICATE].equals(teams.loc["Oltau.ai"])


@pytest.mark.parametrize(("scope", "tasks"), [("children 40", 4), ("all 900", 90)])
def test_the_top_ten_are_over_the_tasks_asked_for(scope, tasks):
    top = top_ten_by_level(scope)
    assert (top["tasks"] == tasks).all()
    assert (top["passes"] / (10 * tasks)).to_list() == pytest.approx(top["pass_rate"].to_list())


def test_a_broken_table_says_what_and_where(tmp_path):
    name = "children_by_level"
    path = tmp_path / f"{name}.csv"
    head = ",".join(TABLES[name])

    def message():
        with pytest.raises(EvaluationError) as caught:
            read_table(name, tmp_path)
        return str(caught.value)

    assert f"{path}: this table cannot be read (No such file" in message()
    path.write_text("")
    assert f"{path}: not valid CSV" in message()
    path.write_bytes(b"\xff\xfe\x00")
    assert f"{path}: not valid CSV" in message()
    path.write_text(head.replace("passes", "passed") + "\n")
    assert f"{path}:1: got columns level, children, trials, passed" in message()
    path.write_text(f"{head}\n1,59,236,142,0.3,0.5,0.5,0.75\n2,59,236,,0.3,0.5,0.5,0.75\n")
    assert f"{path}:3: a value is missing" in message()
    path.write_text(f"{head}\n1,59,236,142,0.3,0.5,0.5,0.75\n")
    assert read_table(name, tmp_path)["passes"].to_list() == [142]


def test_the_figures_are_those_of_the_reference(official_testbed):
    folder = official_testbed.parent / "human_data"
    reference = pd.read_csv(folder / "summary_by_level_40_tasks.csv")
    assert children_by_level()["pass_rate"].round(4).to_list() == reference["children_mean"].to_list()
    top = top_ten_by_level()
    assert top["pass_rate"].round(4).to_list() == reference["top10_mean"].to_list()
    assert top["quartile_1"].round(4).to_list() == reference["top10_q1"].to_list()
    assert top["quartile_3"].round(4).to_list() == reference["top10_q3"].to_list()
    models = language_models_by_task().groupby(["experiment", "level"])[["trials", "passes"]].sum()
    published = pd.read_csv(folder / "llm_by_level.csv").set_index(["experiment", "level"])
    assert models.equals(published[["trials", "passes"]].sort_index())


def test_the_battery_names_the_tasks_that_children_did():
    assert sorted(CHILDREN) == sorted(children_by_task()["task_id"])
