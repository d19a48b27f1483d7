"""`arena-llm run`: scripts from a file, played and told turn by turn."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from arena import ConfigError, Episode, EvaluationError, ScriptError
from arena_llm.pictures.writing import whole_file
from llm_control.choices import ArenaChoices
from llm_control.play import ScriptedEpisode, TurnRecord
from llm_control.script import parse
from render import Frame, Renderer, png
from testbed import task_named

INITIAL = {"paper": ArenaChoices().initial_idle_steps, "none": ()}
"""Idle steps before the first script, by the name of the choice."""


def run_scripts(
    task: str,
    scripts: Path,
    frames: Path | None,
    initial: str,
    seed: int,
    strict: bool,
    animal_ai: str,
    recording: Path | None = None,
) -> Iterator[dict[str, Any]]:
    """Play a file of scripts, one per line, until it or the episode ends; one dictionary per turn.

    Keys: turn, script, steps, health, reward, total_reward, position (x, y, z; metres), yaw (degrees),
    speed (m/s), events, lights, done, outcome. With `frames`, pictures are saved there: `obs-0.0.png` and
    so on for those before the first script, then `obs-<turn>.<steps>.png`. With `recording`, the episode as
    far as it came is stored there, for `arena-llm replay`.

    Raises ConfigError for a broken task or option, ScriptError (file:line) for a line that is no script,
    EvaluationError where pictures or recording cannot be saved.
    """
    if initial not in INITIAL:
        raise ConfigError(f"--initial: got {initial!r}, expected one of: {', '.join(INITIAL)}")
    lines = _scripts(scripts, strict)
    chosen = task_named(task, version=animal_ai)
    protocol = ArenaChoices(initial_idle_steps=INITIAL[initial], strict=strict, max_scripts=1000)
    renderer = Renderer(protocol.image_size, protocol.image_size) if frames else None
    with Episode(chosen.spec, task_id=chosen.id, seed=seed) as episode:
        play = ScriptedEpisode(episode, renderer, protocol)
        for number, frame in enumerate(play.begin()):
            _save(frames, f"obs-0.{number}.png", frame)
        for line in lines:
            if episode.done:
                break
            turn = play.reply(line)
            if frames:
                _save(frames, f"obs-{turn.turn}.{turn.steps}.png", play.frame())
            yield _told(turn)
        if recording:
            with whole_file(recording) as beside:
                beside.write_text(episode.recording().model_dump_json() + "\n", encoding="utf-8")


def _scripts(path: Path, strict: bool) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path}: the scripts cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    kept = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            parse(line, strict=strict)
        except ScriptError as error:
            raise ScriptError(f"{path}:{number}: {error}") from None
        kept.append(line)
    if not kept:
        raise ConfigError(f"{path}: no scripts; expected one per line, such as Turn(30); Go(5);")
    return kept


def _save(folder: Path | None, name: str, frame: Frame) -> None:
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(png(frame))
    except OSError as error:
        raise EvaluationError(
            f"{folder}: pictures cannot be saved there ({error.strerror or error})"
        ) from None


def _told(turn: TurnRecord) -> dict[str, Any]:
    return {
        "turn": turn.turn,
        "script": turn.reply,
        "steps": turn.steps,
        "health": turn.health,
        "reward": turn.reward,
        "total_reward": turn.total_reward,
        "position": list(turn.position),
        "yaw": turn.yaw,
        "speed": turn.speed,
        "events": [asdict(event) for event in turn.events],
        "lights": turn.lights,
        "done": turn.done,
        "outcome": turn.outcome,
    }
