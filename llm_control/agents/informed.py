"""Offline agents that see more than the conversation: the oracle, and the replay of a recording.

A model provider of Inspect knows only messages. The play loop therefore says which episode it plays, for as
long as its own coroutine runs, and these agents look it up.
"""

from pathlib import Path
from weakref import WeakKeyDictionary

from arena import Action, Episode, Recording, RecordingError
from llm_control.agents.oracle.solve import solve
from llm_control.played import PLAYED
from llm_control.script import Script, Think
from llm_control.script.compress import compress

SCRIPTS = 20
"""A plan is told in at most so many scripts: fewer than the 30 that the paper allows."""

_plans: WeakKeyDictionary[Episode, tuple[int, tuple[str, ...]]] = WeakKeyDictionary()


def oracle_reply(replies: int) -> str:
    """The oracle's script after so many replies to the episode that is being played."""
    episode = PLAYED.get()
    if episode not in _plans:
        plan = solve(
            episode.spec,
            task_id=episode.task_id,
            seed=episode.seed,
            trial=episode.trial,
            taken=episode.actions,
        )
        _plans[episode] = (replies, scripts(plan.actions))
    return _told(episode, replies)


def replay_reply(folder: Path, replies: int) -> str:
    """The next script of the recording of this task: `folder`/TASK.json.

    Raises RecordingError where the file is missing, is of another episode, or no scripts say it.
    """
    episode = PLAYED.get()
    if episode not in _plans:
        recording = Recording.read(folder / f"{episode.task_id}.json")
        _plans[episode] = (replies, scripts(_rest(recording, episode)))
    return _told(episode, replies)


def scripts(actions: tuple[Action, ...], most: int = SCRIPTS) -> tuple[str, ...]:
    """Actions as at most `most` scripts. Raises RecordingError where no script says them."""
    commands = compress(actions)
    size = max(2, -(-len(commands) // most))
    return tuple(str(Script(commands[i : i + size])) for i in range(0, len(commands), size))


def _told(episode: Episode, replies: int) -> str:
    first, texts = _plans[episode]
    number = replies - first
    return texts[number] if number < len(texts) else str(Script((Think("That was all."),)))


def _rest(recording: Recording, episode: Episode) -> tuple[Action, ...]:
    """What of a recording is left to do; its beginning must be what the episode began with."""
    actions = tuple(recording.unpacked())
    begun = len(episode.actions)
    if actions[:begun] != episode.actions:
        raise RecordingError(
            f"{recording.task_id}: the recording does not begin with the {begun} steps of this protocol, "
            "expected one that was made by scripts"
        )
    return actions[begun:]
