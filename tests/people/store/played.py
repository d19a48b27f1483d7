"""An episode that was really played, and its trial in a store."""

from functools import cache

from arena import ACTIONS, Episode, Recording
from people.play.worker_protocol import TIME, PlayEnd
from people.store import ActionRow, Participant, Store, Stretch, Trial
from people.store.store import TrialEnd, write_batch
from testbed.proof import solutions
from testbed.tasks import LEVELS_FOLDER, task_named

TASK = task_named("01-01-01")
TAKEN = (0, 3, 3, 4, 8, 1, 0, 6)
SOLUTION = tuple(
    index
    for index, count in solutions.read(LEVELS_FOLDER / "01_food_retrieval")[TASK.id].solution.actions
    for _ in range(count)
)
BEGUN = 1_700_000_000.0


@cache
def recording(trial: int = 0, actions: tuple[int, ...] = TAKEN) -> Recording:
    with Episode(TASK.spec, task_id=TASK.id, seed=7, trial=trial) as episode:
        for action in actions:
            episode.step(ACTIONS[action])
        return episode.recording()


def begin(store: Store, person: Participant, mode: str = "keys", position: int = 0) -> Trial:
    return store.begin_trial(person.id, position, TASK, 7, mode)


def rows(trial: Trial, actions: tuple[int, ...] = TAKEN) -> list[ActionRow]:
    return [ActionRow(trial.id, step, action, BEGUN + 0.06 * step) for step, action in enumerate(actions)]


def stretch(trial: Trial, at: float, seconds: float = 10.0, frames: int = 160, age: int = 20, **values):
    """What a page displayed, in images of one age unless `values` have their `ages_ms`."""
    shown = {"frames": frames, "age_ms": float(age) if frames else None, "ages_ms": [age] * frames}
    columns = {"steps": 166, "late_steps": 0, "quality_level": 0} | shown | values
    return Stretch(trial_id=trial.id, began_at=BEGUN + at, seconds=seconds, **columns)


def append(store: Store, actions: list[ActionRow]) -> list[str]:
    """Store actions; returns a sentence for those that were rejected."""
    return write_batch(store.database, actions)


def finish(store: Store, trial: Trial, played: Recording) -> list[str]:
    """Store the end of a trial; returns a sentence if it was rejected."""
    return write_batch(store.database, [TrialEnd(trial.id, whole(played))])


def whole(played: Recording) -> PlayEnd:
    """The end of a trial all of whose steps were played."""
    return PlayEnd(TIME, played.steps, played)
