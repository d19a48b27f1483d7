"""Command `arena-llm replay`."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.csv_log import csv_log
from arena.errors import ConfigError
from arena.files import check_output, check_output_folder, write_file
from arena.replay import Replay
from arena_llm.console import line_console, progress_bar, stoppable
from arena_llm.options import CsvFile, Testbed
from arena_llm.replay import arena_of, find_recording

if TYPE_CHECKING:
    from arena_llm.pictures.film import Film
    from arena_llm.pictures.video import Video


def replay_command(
    recording: Annotated[Path, typer.Argument(help="JSON of `run --recording`, or a log of `eval` (.eval).")],
    video: Annotated[Path | None, typer.Option(help="Video file, .mp4 or .gif.")] = None,
    stills: Annotated[Path | None, typer.Option(help="Folder for still pictures step-<n>.png.")] = None,
    csv: CsvFile = None,
    every: Annotated[int, typer.Option(min=1, help="Number of steps between stills.")] = 50,
    view: Annotated[
        str, typer.Option(help="View: agent, behind, above, or top (without perspective).")
    ] = "agent",
    size: Annotated[int, typer.Option(help="Side of the picture in pixels, 4 to 1024.")] = 512,
    fps: Annotated[float | None, typer.Option(help="Frames per second. Default: 16.7, as played.")] = None,
    trail: Annotated[
        bool | None, typer.Option("--trail/--no-trail", help="Agents' paths. Default: in views from above.")
    ] = None,
    hud: Annotated[bool, typer.Option("--hud", help="Strip with health, step and reward.")] = False,
    agent: Annotated[int, typer.Option(help="Agent to follow, counted from 0.")] = 0,
    task: Annotated[str | None, typer.Option(help="Task file or id, if not found automatically.")] = None,
    testbed: Testbed = None,
    sample: Annotated[str | None, typer.Option(help="Task id in a log.")] = None,
    trial: Annotated[int, typer.Option(min=0, help="Trial in a log, counted from 0.")] = 0,
) -> None:
    """Replay a recorded episode, check its end, and make a video; status 1 if the end differs."""
    from arena_llm.pictures.film import Film
    from arena_llm.pictures.video import STEPS_PER_S, open_video

    if not (video or stills) and (trail is not None or hud or view != "agent"):
        raise ConfigError("nothing is drawn: --view, --trail and --hud need --video FILE or --stills DIR")
    check_output(video)
    check_output(csv)
    check_output_folder(stills)
    kept, folder = find_recording(recording, sample, trial)
    spec = arena_of(kept, task, testbed or folder)
    rate = STEPS_PER_S if fps is None else fps
    console = line_console()
    with ExitStack() as stack:
        replay = stack.enter_context(Replay(kept, spec))
        stack.enter_context(csv_log(replay.episode, csv))
        agents, steps = len(replay.episode.agents), kept.steps
        film = None
        if video or stills:
            film = Film(view, size, steps=steps, agent=agent, agents=agents, trail=trail, hud=hud)
        with stoppable("Stopped; no video was written." if video else "Stopped."):
            writer = stack.enter_context(open_video(video, rate)) if video else None
            saved = _play(replay, film, writer, stills, every)
    console.print(_ending(replay))
    if video and writer:
        console.print(f"Video: {video} ({writer.frames} frames, {writer.frames / rate:.1f} s)")
    if csv:
        console.print(f"CSV log: {csv} ({replay.episode.ticks} ticks)")
    if stills:
        console.print(f"Stills: {stills} ({saved} pictures)")
    replay.check()
    print("The replay ends as the recording does.")


def _play(replay: Replay, film: "Film | None", video: "Video | None", stills: Path | None, every: int) -> int:
    """Play to the end, draw video frames and stills; return the number of stills."""
    from render import png

    saved = 0
    last = replay.recording.steps
    with progress_bar() as progress:
        for moment in progress.track(replay.moments(), total=last + 1, description="replaying"):
            if film is None:
                continue
            episode, step = moment.episode, moment.step
            film.follow(episode)
            due = stills is not None and (step % every == 0 or episode.done or step == last)
            if not (video or due):
                continue
            frame = film.frame(episode)
            if video:
                video.add(frame)
            if stills and due:
                write_file(stills / f"step-{step:05d}.png", png(frame))
                saved += 1
    return saved


def _ending(replay: Replay) -> str:
    episode = replay.episode
    verdict = {True: ", passed", False: ", not passed", None: ""}[episode.passed if episode.done else None]
    return (
        f"{episode.task_id}: {episode.steps} steps, reward {episode.total_reward:.3f}, health "
        f"{episode.health:.1f}, {episode.outcome or 'not over'}{verdict}"
    )
