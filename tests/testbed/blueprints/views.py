"""Episodes of what the blueprints draw, what is seen in them, and where the straight way leads."""

import math

from arena import Episode, load_text
from testbed.blueprints import CONDITIONS, blueprint
from testbed.blueprints.blueprint import Draw, to_yaml
from testbed.oracle.motion import Driver


def numbers(level, *names):
    """The tasks of a level with these paradigms, or all."""
    return [n for n, made in enumerate(CONDITIONS[level], 1) if made.name in names or not names]


def drawn(level, number, seed=0):
    """The first variant of a task; that of the seed 0 is shipped."""
    return blueprint(Draw(level, number, 1, seed))


def spec_of(task):
    return load_text(to_yaml(task)).arenas[0]


def episode_of(task):
    return Episode(spec_of(task), task_id="made")


def drive_straight(episode, steps):
    """Turn to the first good goal, and drive."""
    scene = episode.scene()
    goal = next(i for i, thing in enumerate(scene.things) if thing.kind == "GoodGoal")
    x, _, z = scene.positions[goal] - episode.position
    driver = Driver(episode)
    driver.face(math.degrees(math.atan2(x, z)))
    driver.drive(steps)


def seen_goals(renderer, scene):
    """How many good goals are in the agent's view, looked at through glass too."""
    shown = set(renderer.channels(scene, see_through=True).instance.flat)
    return sum(
        index in shown and thing.kind.startswith("GoodGoal") for index, thing in enumerate(scene.things)
    )
