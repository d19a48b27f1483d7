"""Table of each task's demands, for analysing results by demand. Levels are not the only grouping."""

import math
from collections.abc import Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from arena import Action, Recording, Rotate
from arena.files import read_text, write_file
from arena.geometry.placed import Placed
from arena.processes import Engine, in_order
from arena.replay import Replay
from arena.taskfile.kind import Body
from render.line_of_sight import LineOfSight
from testbed.blueprints import blueprint, condition_of
from testbed.blueprints.blueprint import Draw
from testbed.proof import solutions
from testbed.tasks import Task, find_tasks

FILE = "demands.csv"


class Demands(NamedTuple):
    """One row, in metres and steps. The solution is the one stored with the task.

    `distance`: straight line from the start to the nearest good goal at the start. `way`: length of the
    solution's path on the floor. `detour`: `way` over `distance`. `goals_in_view`: share of good goals that
    are in the first picture. `steps_hidden`: steps of the solution in which no good goal is in view. `turns`:
    turning commands of the solution. `steps_dark`: steps of the solution without light.
    """

    task: str
    level: int
    paradigm: str
    difficulty: int
    capacities: str
    pass_mark: float
    time_limit: int
    good_goals: int
    bad_goals: int
    zones: int
    obstacles: int
    transparent: int
    loose: int
    distance: float
    way: float
    detour: float
    goals_in_view: float
    steps_hidden: int
    steps_dark: int
    turns: int
    steps: int
    reward: float


def demands(job: tuple[Task, Recording]) -> Demands:
    """Return the demands of a blueprint's task and of its solution."""
    task, recording = job
    draw = Draw.of_text(read_text(task.path), str(task.path))
    condition = condition_of(draw)
    with Replay(recording, task.spec) as replay:
        things = _things(replay.episode.layout.things)
        walk = _walk(replay)
    return Demands(
        task=task.id,
        level=task.level,
        paradigm=condition.name,
        difficulty=condition.difficulty,
        capacities="; ".join(blueprint(draw).capacities),
        pass_mark=task.spec.pass_mark or 0.0,
        time_limit=task.spec.time_limit,
        **things,
        **walk,
        turns=_turns(recording.unpacked()),
        steps=recording.steps,
        reward=round(recording.total_reward, 3),
    )


def _things(things: Sequence[Placed]) -> dict[str, int]:
    """Return the number of things of each sort."""
    kinds = [placed.kind for placed in things]
    solid = [kind for kind in kinds if kind.body is not Body.ZONE and not kind.is_goal]
    return {
        "good_goals": sum(kind.is_good_goal for kind in kinds),
        "bad_goals": sum(kind.is_goal and not kind.is_good_goal for kind in kinds),
        "zones": sum(kind.body is Body.ZONE for kind in kinds),
        "obstacles": len(solid),
        "transparent": sum(kind.transparent for kind in solid),
        "loose": sum(kind.is_loose for kind in solid),
    }


def _walk(replay: Replay) -> dict[str, Any]:
    """Return lengths (metres) and numbers of steps of the solution's path."""
    sight, things = LineOfSight(), replay.episode.layout.things
    balls = [index for index, placed in enumerate(things) if placed.kind.is_good_goal]
    scene = replay.episode.scene()
    start = scene.agent_position
    distance = min(math.dist(start[::2], scene.positions[ball][::2]) for ball in balls)
    in_view = len(sight.in_view(scene, balls)) / len(balls)
    way, hidden, dark = 0.0, 0, 0
    for moment in replay.moments():
        scene = moment.episode.scene()
        way += math.dist(start[::2], scene.agent_position[::2])
        start = scene.agent_position
        if moment.step < replay.recording.steps:
            hidden += not sight.in_view(scene, balls)
            dark += not moment.episode.lights_on
    return {
        "distance": round(distance, 2),
        "way": round(way, 1),
        "detour": round(way / distance, 2),
        "goals_in_view": round(in_view, 2),
        "steps_hidden": hidden,
        "steps_dark": dark,
    }


def _turns(actions: Sequence[Action]) -> int:
    """Return the number of turns that the agent starts. Waiting by alternate turns counts once."""
    turning = [action.rotate is not Rotate.NONE for action in actions]
    return sum(now and not before for before, now in pairwise([False, *turning]))


def write_table(folder: Path, jobs: int, engine: Engine | None = None) -> Path:
    """Write the demands of a folder's solved tasks into its `demands.csv`. Raises EvaluationError if it
    cannot be written, ConfigError if a task was not made by a blueprint."""
    proofs = solutions.read(folder)
    work = (
        (task, proofs[task.id].solution)
        for task in find_tasks(folder=folder)
        # If food appears only behind a door, there is no path to it at the start.
        if task.id in proofs and task.spec.question is None
    )
    path = folder / FILE
    with closing(in_order(demands, work, jobs, engine, lambda job: job[0].id)) as rows:
        table = pd.DataFrame(list(rows), columns=Demands._fields)
    write_file(path, table.to_csv(index=False, lineterminator="\n"))
    return path
