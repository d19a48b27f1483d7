"""Pictures for people: videos of episodes, trajectories, figures of tasks and contact sheets."""

from arena_llm.pictures.contact_sheet import Tile, contact_sheet
from arena_llm.pictures.film import VIEWS, Film
from arena_llm.pictures.hud import Status, strip
from arena_llm.pictures.projection import project
from arena_llm.pictures.task_picture import describe, task_picture
from arena_llm.pictures.trajectory import Trail, trajectory
from arena_llm.pictures.video import STEPS_PER_S, Video, open_video

__all__ = [
    "STEPS_PER_S",
    "VIEWS",
    "Film",
    "Status",
    "Tile",
    "Trail",
    "Video",
    "contact_sheet",
    "describe",
    "open_video",
    "project",
    "strip",
    "task_picture",
    "trajectory",
]
