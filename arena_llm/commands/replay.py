"""The `arena-llm replay` command."""

import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from arena.errors import ConfigError, RecordingError
from arena_llm.status import INTERRUPTED
from arena_llm.wide import bar_beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.replay import Replay
    from arena_llm.pictures import Film, Video
    from render import Frame


def replay_command(
    recording: Annotated[
        Path, typer.Argument(help="JSON file of `run --recording`, or a log of `eval` (.eval).")
    ],
    video: Annotated[Path | None, typer.Option(help="Video to write: .mp4 or .gif.")] = None,
    stills: Annotated[Path | None, typer.Option(help="Folder for still frames step-<n>.png.")] = None,
    every: Annotated[int, typer.Option(min=1, help="Steps from one still to the next.")] = 50,
    view: Annotated[str, typer.Option(help="agent, behind, above, or top (without perspective).")] = "agent",
    size: Annotated[int, typer.Option(help="Side of the picture in pixels, 4 to 1024.")] = 512,
    fps: Annotated[
        float | None, typer.Option(help="Frames per second; the original's 16.7 where left out.")
    ] = None,
    trail: Annotated[
        bool | None,
        typer.Option("--trail/--no-trail", help="Draw the agents' paths; on in views from above."),
    ] = None,
    hud: Annotated[bool, typer.Option("--hud", help="A strip below with health, step and reward.")] = False,
    agent: Annotated[int, typer.Option(help="Which of several agents is followed, from 0.")] = 0,
    task: Annotated[
        str | None, typer.Option(help="The recording's task file or id, where it is not found by itself.")
    ] = None,
    testbed: Annotated[
        Path | None, typer.Option(help="Folder of its task file; the shipped battery where left out.")
    ] = None,
    sample: Annotated[str | None, typer.Option(help="In a log: the task's id.")] = None,
    trial: Annotated[int, typer.Option(min=0, help="In a log: which trial, from 0.")] = 0,
) -> None:
    """Play a recorded episode again, check its end, and make a video; status 1 where the end differs."""
    from arena.replay import Replay
    from arena_llm.pictures import STEPS_PER_S, Film, open_video
    from arena_llm.replay import arena_of, find_recording

    if not (video or stills) and (trail is not None or hud or view != "agent"):
        raise ConfigError("nothing is drawn: --view, --trail and --hud need --video FILE or --stills DIR")
    kept = find_recording(recording, sample, trial)
    spec = arena_of(kept.recording, task, testbed or kept.folder)
    rate = STEPS_PER_S if fps is None else fps
    console = Console(soft_wrap=True, highlight=False)
    with _told_when_stopped(video), ExitStack() as stack:
        replay = stack.enter_context(Replay(kept.recording, spec))
        agents, steps = len(replay.episode.agents), kept.recording.steps
        drawn = video or stills
        film = (
            Film(view, size, steps=steps, agent=agent, agents=agents, trail=trail, hud=hud) if drawn else None
        )
        writer = stack.enter_context(open_video(video, rate)) if video else None
        saved = _play(replay, film, writer, stills, every)
    console.print(_ending(replay), markup=False)
    if video and writer:
        console.print(f"Video: {video} ({writer.frames} frames, {writer.frames / rate:.1f} s)", markup=False)
    if stills:
        console.print(f"Stills: {stills} ({saved} pictures)", markup=False)
    _judge(replay)


@contextmanager
def _told_when_stopped(video: Path | None) -> "Iterator[None]":
    try:
        yield
    except KeyboardInterrupt:
        print("Stopped; no video was written." if video else "Stopped.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def _play(
    replay: "Replay", film: "Film | None", video: "Video | None", stills: Path | None, every: int
) -> int:
    """Play to the end, drawing what is wanted; returns the number of stills."""
    saved = 0
    last = replay.recording.steps
    with bar_beside(Console()) as progress:
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
                _save(stills, step, frame)
                saved += 1
    return saved


def _save(folder: Path, step: int, frame: "Frame") -> None:
    from arena_llm.pictures import whole_file
    from render import png

    if folder.is_file():
        raise ConfigError(f"--stills: {folder} is a file, expected a folder")
    with whole_file(folder / f"step-{step:05d}.png") as beside:
        beside.write_bytes(png(frame))


def _ending(replay: "Replay") -> str:
    episode = replay.episode
    verdict = {True: ", passed", False: ", not passed", None: ""}[episode.passed if episode.done else None]
    return (
        f"{episode.task_id}: {episode.steps} steps, reward {episode.total_reward:.3f}, health "
        f"{episode.health:.1f}, {episode.outcome or 'not over'}{verdict}"
    )


def _judge(replay: "Replay") -> None:
    """Say that the end is the recorded one; raises RecordingError, with what is not, where it differs."""
    differences, versions = replay.differences(), replay.other_versions()
    if differences:
        because = f" (recorded with {'; '.join(versions)})" if versions else ""
        raise RecordingError(
            f"the replay does not end as the recording does: {'; '.join(differences)}{because}"
        )
    print("The replay ends as the recording does.")
