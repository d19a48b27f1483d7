"""The report of a log with all tasks in one conversation."""

import pandas as pd
import pytest
from inspect_ai.log import read_eval_log

from evaluation.log.run import RunLog, open_logs
from evaluation.results import read_results
from report.build import write_log_report
from tests.broken_off import broken_off, without_requests
from tests.llm_control.batteries import run, shared_battery_of

SMALL = {"image_size": 32, "max_scripts": 3}

battery = shared_battery_of((20, 16), (24, 20), (16, 24))


@pytest.fixture(scope="module")
def log(battery, tmp_path_factory):
    logs = tmp_path_factory.mktemp("logs")
    return run(battery, logs, "arena/random", "one-conversation", trials=2, images="last-2", **SMALL).log


@pytest.fixture(scope="module")
def folder(log, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_log_report(open_logs([(None, log)]), folder, frames=True)
    return folder


def orders(log):
    return {sample.epoch - 1: sample.metadata["order"] for sample in read_eval_log(str(log)).samples}


def test_every_episode_counts_and_has_its_page(folder, log):
    results = read_results(folder / "results.csv")
    assert len(results) == 6
    assert results["passed"].notna().all()
    assert len(list(folder.glob("episodes/*/*.html"))) == 6
    text = (folder / "index.html").read_text("utf-8")
    assert "6 planned episodes" in text
    assert "Partial run" not in text
    assert (RunLog(log).planned, RunLog(log).finished) == (6, 6)


def test_the_order_of_play_is_in_the_tables_and_on_the_pages(folder, log):
    episodes = pd.read_csv(folder / "episodes.csv")
    for trial, order in orders(log).items():
        own = episodes[episodes["trial"] == trial]
        assert own["task_id"].tolist() == order
        assert own["order"].tolist() == [1, 2, 3]
        page = (folder / "episodes" / "arena-random" / f"{order[1]}_{trial + 1}.html").read_text("utf-8")
        assert "Task 2 of its conversation" in page
    assert "Order" in (folder / "index.html").read_text("utf-8")
    assert set(pd.read_csv(folder / "turns.csv")["order"]) == {1, 2, 3}


def test_turns_and_pictures_are_those_of_the_episode(log):
    sample = next(s for s in read_eval_log(str(log), resolve_attachments=True).samples if s.epoch == 1)
    replies = [message.text for message in sample.messages if message.role == "assistant"]
    episodes = [each for each in RunLog(log).episodes() if each.result.trial == 0]
    assert [e.reply for each in episodes for e in each.talk.exchanges] == replies
    for each in episodes:
        assert [turn["reply"] for turn in each.turns] == [e.reply for e in each.talk.exchanges]
        # Three views at the start, and one after each turn but the last.
        assert [len(e.shown) for e in each.talk.exchanges] == [3, 1, 1]
        assert each.seconds is not None
    parts = [part for message in sample.messages if message.role == "user" for part in message.content]
    shown = [part.image for part in parts if part.type == "image"]
    assert [uri for each in episodes for uri in each.talk.pictures] == shown


def test_what_was_sent_is_told_by_turn(folder, log):
    turns = pd.read_csv(folder / "turns.csv")
    first = turns[turns["order"] == 1].iloc[:3]
    assert first["pictures_sent"].tolist() == [2, 2, 2]
    assert first["pictures_left_out"].tolist() == [1, 2, 3]
    task = orders(log)[0][0]
    page = (folder / "episodes" / "arena-random" / f"{task}_1.html").read_text("utf-8")
    assert "Sent: 2 of the 3 pictures so far. 1 left out (images = last-2)." in page
    assert "Pictures were dropped: in 3 of 3 turns" in page


def test_a_conversation_that_broke_off_keeps_its_finished_episodes(battery, tmp_path, monkeypatch):
    log = broken_off(battery, tmp_path / "logs", monkeypatch, 4, resume_it=False, **SMALL)
    opened = RunLog(log)
    assert (opened.planned, opened.finished, opened.complete) == (3, 1, False)
    episodes = list(opened.episodes())
    assert [each.result.error is None for each in episodes] == [True, False, False]
    assert episodes[0].result.passed is not None
    assert "broken off" in episodes[1].result.error
    write_log_report([opened], tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "Partial run" in page
    assert "1 of 3 planned trials" in page
    assert pd.read_csv(tmp_path / "report" / "episodes.csv")["status"].tolist()[1:] == ["not played"] * 2


def test_requests_of_an_older_logs_first_attempt_are_said_to_be_unknown(battery, tmp_path, monkeypatch):
    log = broken_off(battery, tmp_path / "logs", monkeypatch, 4, **SMALL)
    without_requests(log, 4)
    write_log_report(open_logs([(None, log)]), tmp_path / "report", frames=True)
    episodes = tmp_path / "report" / "episodes" / "arena-random"
    pages = [(episodes / f"{task}_1.html").read_text("utf-8") for task in orders(log)[0]]
    told = "kept from an interrupted attempt"
    assert [page.count(told) for page in pages] == [3, 1, 0]
    assert "Sent: " in pages[1]
