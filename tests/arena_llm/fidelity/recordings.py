"""Recordings made with our own arena, in the form of those of the original."""

import csv
from pathlib import Path

import numpy as np

from arena import IDLE, Episode, load
from llm_control.script import parse
from render import Renderer, png
from tests.arena.worlds import agent, arena_text, item

WALL = item("Wall", "26 0 20", sizes="4 5 1", colors="255 0 255", rotations="0")
ARENA = arena_text(agent(), WALL, item("GoodGoal", "20 0 20", sizes="2 2 2"), t=500, pass_mark="~")

SCRIPTS = ("Go(6);", "Turn(-30); Turn(36);", "Turn(-6); Go(30);")
COLUMNS = (
    *("turn", "script", "env_steps_executed_by_script"),
    *("cumulative_env_steps_before_script", "health_before_script"),
)
SIDE = 128


def record(folder: Path, margin: int = 0) -> Path:
    """Play `SCRIPTS` after 20 idle steps and write arena.yaml, pictures and trace.csv; return the table."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "arena.yaml").write_text(ARENA)
    renderer = Renderer(SIDE, SIDE)
    rows = []
    with Episode(load(folder / "arena.yaml").arenas[0], task_id=folder.name) as episode:
        for step in range(20):
            episode.step(IDLE)
            if step in (0, 16):
                save(folder / f"obs-0.{step // 16}.png", renderer.frame(episode.scene()), margin)
        for turn, script in enumerate(SCRIPTS, start=1):
            before, health = episode.steps, episode.health
            for action in parse(script).actions():
                if not episode.done:
                    episode.step(action)
            steps = episode.steps - before
            save(folder / f"obs-{turn}.{steps}.png", renderer.frame(episode.scene()), margin)
            rows.append((turn, script, steps, before, f"{health:.1f}"))
    table = folder / "trace.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return table


def save(path: Path, frame, margin: int = 0) -> None:
    path.write_bytes(png(np.pad(frame, ((0, 0), (margin, margin), (0, 0)), constant_values=255)))
