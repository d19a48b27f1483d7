import io
import re
from html import unescape
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from arena.errors import EvaluationError
from evaluation.log.episodes import without_keys
from evaluation.log.exchanges import picture
from evaluation.log.files import find_logs
from evaluation.log.run import RunLog, open_logs
from evaluation.report_folder import LIST, ReportFolder
from evaluation.results import read_results
from llm_control.logged import logged_recording, logged_specs
from render import Renderer
from render.image import webp
from report.arena.replay import replay
from report.build import write_log_report


def test_every_link_stays_inside_and_leads_somewhere(report):
    pages = list(report.rglob("*.html"))
    assert len(pages) == 1 + 2 + 8
    for page in pages:
        found = re.findall(r'\s(?:href|src)="([^"]+)"', page.read_text("utf-8"))
        for link in {*map(unescape, found)} - {"data:,"}:
            assert not re.match(r"[a-z]+:|/", link), link
            path, _, anchor = link.partition("#")
            target = (page.parent / unquote(path)).resolve() if path else page
            assert target.is_file(), link
            assert target.is_relative_to(report.resolve())
            assert not anchor or f'id="{anchor}"' in target.read_text("utf-8")
    assert "http" not in (report / "assets" / "report.css").read_text("utf-8")


def test_the_tables_say_what_the_log_says(report, logs):
    results = read_results(report / "results.csv")
    assert len(results) == 8
    episodes = pd.read_csv(report / "episodes.csv")
    assert set(episodes["replay"]) == {"exact"}
    assert episodes[~episodes["passed"].astype(bool)]["failure"].notna().all()
    assert episodes[episodes["passed"].astype(bool)]["failure"].isna().all()
    # A mark of 9 cannot be reached: who ate the ball was too slow, or had chosen nothing wrong.
    pixels = episodes[(episodes["agent"] == "arena/pixels") & (episodes["task_id"] == "02-01-01")]
    assert pixels["failure"].tolist() == ["too slow"] * 2
    turns = pd.read_csv(report / "turns.csv")
    assert len(turns) == int(results["turns"].sum())


def test_parquet_holds_the_same(report):
    pytest.importorskip("pyarrow")
    for name in ("results", "episodes", "turns", "levels", "comparisons"):
        table, text = pd.read_parquet(report / f"{name}.parquet"), pd.read_csv(report / f"{name}.csv")
        assert list(table.columns) == list(text.columns)
        assert len(table) == len(text) > 0


def test_pictures_are_those_that_the_agent_was_sent(logs):
    from inspect_ai.log import read_eval_log_sample

    log = RunLog(logs["random"])
    episode = next(log.episodes())
    frames: list[np.ndarray] = []
    renderer = Renderer(512, 512)
    steps = [turn["steps"] for turn in episode.turns]
    spec, recording = logged_specs(log)["01-01-01"], logged_recording(episode)
    replay(spec, recording, log.choices, steps, lambda scene, _: frames.append(renderer.frame(scene)))
    sample = read_eval_log_sample(str(log.path), id="01-01-01", epoch=1, resolve_attachments=True)
    content = [part for m in sample.messages if isinstance(m.content, list) for part in m.content]
    sent = [picture(part.image) for part in content if part.type == "image"]
    assert len(sent) > 3
    # One more is made, of the end, which no agent is shown.
    assert len(frames) == len(sent) + 1
    for ours, theirs in zip(frames, sent, strict=False):
        np.testing.assert_array_equal(ours, theirs)


def test_a_picture_is_kept_small():
    image = Image.open(io.BytesIO(webp(np.full((512, 512, 3), 90, np.uint8))))
    assert (image.format, image.size) == ("WEBP", (256, 256))


def test_without_frames_there_are_no_pictures(logs, tmp_path):
    write_log_report(open_logs([(None, logs["pixels"])]), tmp_path)
    assert not list(tmp_path.rglob("*.webp"))
    page = (tmp_path / "episodes" / "arena-pixels" / "01-01-01_1.html").read_text("utf-8")
    assert "<img" not in page
    assert "polyline" in page


def test_a_second_report_replaces_its_own_files_only(logs, tmp_path):
    mine = tmp_path / "notes.txt"
    mine.write_text("mine", "utf-8")
    both = open_logs([(None, path) for path in logs.values()])
    write_log_report(both, tmp_path)
    assert (tmp_path / "episodes" / "arena-random").is_dir()
    write_log_report(open_logs([(None, logs["pixels"])]), tmp_path)
    assert mine.read_text("utf-8") == "mine"
    assert not (tmp_path / "episodes" / "arena-random").exists()
    assert not (tmp_path / "comparisons.csv").exists()
    listed = (tmp_path / LIST).read_text("utf-8").split()
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert sorted(listed) == sorted(files - {LIST, mine.name})


def test_a_stranger_in_the_way_is_not_overwritten(logs, tmp_path):
    (tmp_path / "index.html").write_text("someone's page", "utf-8")
    with pytest.raises(EvaluationError, match=r"index\.html: this file exists and is not part of a report"):
        write_log_report(open_logs([(None, logs["pixels"])]), tmp_path)
    assert (tmp_path / "index.html").read_text("utf-8") == "someone's page"


def test_a_list_that_leads_outside_is_not_followed(tmp_path):
    outside = tmp_path / "precious.txt"
    outside.write_text("x", "utf-8")
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / LIST).write_text(f"../precious.txt\n{outside}\n", "utf-8")
    ReportFolder(folder).finish()
    assert outside.exists()


def test_a_partial_run_says_so(logs, tmp_path, monkeypatch):
    log = RunLog(logs["pixels"])
    del log._summaries[("02-01-01", 2)]
    assert not log.complete
    write_log_report([log], tmp_path)
    page = (tmp_path / "index.html").read_text("utf-8")
    assert "Partial run" in page
    assert "3 of 4 planned trials" in page
    row = read_results(tmp_path / "results.csv").query("task_id == '02-01-01' and trial == 1").iloc[0]
    assert row["error"] == "not run"
    assert pd.isna(row["passed"])


def test_the_methods_name_what_was_done(report, logs):
    page = (report / "index.html").read_text("utf-8")
    log = RunLog(logs["pixels"])
    for part in ("2 trials each", "seed 0", "Animal-AI 3.1.3", "at most 4 replies", log.path.name):
        assert part in page
    assert log.system_prompt_sha256() in page


def test_replies_are_text_and_never_markup(logs, tmp_path):
    log = RunLog(logs["pixels"])
    episodes = list(log.episodes())
    dangerous = "<script>alert('x')</script>"
    for episode in episodes:
        for turn in episode.turns:
            turn["reply"] = dangerous
            turn["thoughts"] = [dangerous, "<svg onload=alert(1)>"]
    log.episodes = lambda: iter(episodes)
    write_log_report([log], tmp_path)
    page = (tmp_path / "episodes" / "arena-pixels" / "01-01-01_1.html").read_text("utf-8")
    assert dangerous not in page
    assert "<svg onload" not in page
    assert "&lt;script&gt;alert" in page


def test_keys_are_taken_out_of_errors():
    for key in ("sk-abcdefghijklmnopqrstuvwx", "sk-ant-api03-AAAABBBBCCCC", "AIzaSyA1234567890abcdef"):
        assert key[8:] not in without_keys(f"Error 401: incorrect key {key}, try again")


def test_wrong_logs_are_one_sentence(logs, tmp_path):
    broken = tmp_path / "x.eval"
    broken.write_text("no log", "utf-8")
    cases = {
        "no such log": lambda: RunLog(tmp_path / "absent.eval"),
        "cannot be read": lambda: RunLog(broken),
        "no logs": lambda: find_logs([tmp_path / "empty"]),
        "NAME=FILE": lambda: open_logs([("a", logs["pixels"]), ("a", logs["random"])]),
    }
    (tmp_path / "empty").mkdir()
    for words, attempt in cases.items():
        with pytest.raises(EvaluationError, match=words):
            attempt()
