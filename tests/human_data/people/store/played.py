"""An episode that was really played, and a trial in the store of it."""

from functools import cache

from arena import ACTIONS, Episode, Recording
from arena.recording import spec_sha256
from human_data.people.store import ActionRow, Participant, Store, Trial
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
    sha256 = spec_sha256(TASK.spec)
    return store.begin_trial(person.id, position, TASK.id, sha256, 7, "3.1.3", mode, TASK.spec.pass_mark)


def rows(trial: Trial, actions: tuple[int, ...] = TAKEN) -> list[ActionRow]:
    return [ActionRow(trial.id, step, action, BEGUN + 0.06 * step) for step, action in enumerate(actions)]
