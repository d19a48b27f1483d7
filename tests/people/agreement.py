"""Whether a study's export agrees with the diaries of its participants, row by row."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena import ACTIONS, Episode, Outcome
from arena.action import STEP_S
from people.simulation.simulate import Journey
from people.study.plan import Plan
from testbed import Task

Row = dict[str, str]
REFUSED, LEFT = "refused", "left"
STOPPED, TIME_OVER = "You stopped this task.", "The time for this task is over."


@dataclass
class Play:
    """A trial: the action that was held, the last step that the page saw, and its end, if the page got it."""

    position: int
    held: int
    seen: int = 0
    steps: int | None = None
    text: str | None = None
    stopped: bool = False


@dataclass
class Diary(Journey):
    """What a participant did, with their code and group, and the trials by their ids.

    `entered` is what a page of a suite said at each turn of a trial, in all of its views.
    """

    code: str = ""
    group: str = ""
    plays: dict[int, Play] = field(default_factory=dict)
    entered: dict[int, dict[int, set[str]]] = field(default_factory=dict)


def rows(path: Path, delimiter: str = ",") -> list[Row]:
    """The rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def disagreements(out: Path, plan: Plan, diaries: Sequence[Diary]) -> Iterator[str]:
    """A sentence for everything in the export in `out` that is not as the participants experienced it."""
    took_part = {diary.code: diary for diary in diaries if diary.ending != REFUSED}
    yield from _participants(out, took_part, len(diaries) - len(took_part))
    yield from _answers(out, took_part)
    yield from _trials(out, plan, took_part)


def _participants(out: Path, diaries: Mapping[str, Diary], refused: int) -> Iterator[str]:
    exported = {row["participant"]: json.loads(row["link"]) for row in rows(out / "participants.csv")}
    if exported.keys() != diaries.keys():
        yield f"participants: got {sorted(exported)}, expected {sorted(diaries)}"
    for code in exported.keys() & diaries.keys():
        if exported[code] != {"PERSON": code, "GROUP": diaries[code].group}:
            yield f"{code}: got the link {exported[code]}"
    notes = json.loads((out / "study.json").read_text(encoding="utf-8"))["notes"]
    count = sum(note["data"].get("agreed") is False for note in notes)
    if count != refused:
        yield f"refusals: got {count}, expected {refused}"
    ends = {(row["participant"], row["kind"]) for row in rows(out / "notes.csv")}
    for code, diary in diaries.items():
        for kind, expected in (
            ("completed", diary.ending == "completed"),
            ("withdrawn", diary.ending == LEFT),
            ("consent", True),
        ):
            if ((code, kind) in ends) != expected:
                yield f"{code}: {kind} is {not expected}, expected {expected}"


def _answers(out: Path, diaries: Mapping[str, Diary]) -> Iterator[str]:
    answers = rows(out / "answers.csv")
    exported = {(row["participant"], row["page"], row["item"]): row["value"] for row in answers}
    expected = {(code, *item): value for code in diaries for item, value in diaries[code].answers.items()}
    for key in exported.keys() | expected.keys():
        if exported.get(key) != expected.get(key):
            yield f"answer {key}: got {exported.get(key)!r}, expected {expected.get(key)!r}"


def _trials(out: Path, plan: Plan, diaries: Mapping[str, Diary]) -> Iterator[str]:
    taken: dict[str, list[int]] = {}
    for row in rows(out / "actions.csv"):
        steps = taken.setdefault(row["trial_id"], [])
        if int(row["step"]) != len(steps):
            yield f"trial {row['trial_id']}: step {row['step']} after {len(steps)} steps"
        steps.append(int(row["action"]))
    replies: dict[str, list[int]] = {}
    for row in rows(out / "replies.csv"):
        replies.setdefault(row["trial_id"], []).append(int(row["turn"]))
    turns = {row["trial_id"]: row["turns"] for row in rows(out / "episodes.csv")}
    tasks = {task.id: task for phase in plan.tasks.values() for task in phase if isinstance(task, Task)}
    found: dict[str, set[int]] = {code: set() for code in diaries}
    for row in rows(out / "trials.csv"):
        trial, diary = int(row["trial_id"]), diaries[row["participant"]]
        found[diary.code].add(trial)
        name = f"{diary.code}, trial {trial}"
        if row["mode"] == "form":
            given = replies.get(row["trial_id"], [])
            yield from (
                f"{name}: {each}" for each in _form(given, turns, row, diary.entered.get(trial, {0: set()}))
            )
            continue
        actions = taken.pop(row["trial_id"], [])
        if (play := diary.plays.get(trial)) is None:
            # The server was killed when it had stored the trial, and before it could announce it.
            play = Play(int(row["position"]), actions[0] if actions else 0)
        yield from (f"{name}: {problem}" for problem in _trial(row, play, diary, actions))
        yield from (f"{name}: {problem}" for problem in _score(row, tasks[row["task_id"]], plan, actions))
    yield from (f"actions of trial {trial}, which is not there" for trial in taken)
    for code, diary in diaries.items():
        if missing := diary.plays.keys() - found[code]:
            yield f"{code}: the trials {missing} are missing"
    yield from _orders(out, diaries)


def _form(
    replies: Sequence[int], turns: Mapping[str, str], row: Row, entered: Mapping[int, set[str]]
) -> Iterator[str]:
    """What the participant saw of a trial of another suite."""
    if replies != list(range(len(replies))) or len(replies) < max(entered):
        yield f"the replies {replies}, but the page saw {max(entered)}"
    if row["finished_at"] and turns[row["trial_id"]] != str(len(replies)):
        yield f"{turns[row['trial_id']]} turns, but {len(replies)} replies"
    ends = {row["outcome"], "stopped", "limit"} if row["finished_at"] else {"", "withdrew"}
    if row["ended_by"] not in ends:
        yield f"finished_at {row['finished_at']!r} with ended_by {row['ended_by']!r}"
    for turn, said in entered.items():
        if len(said) > 1:
            yield f"turn {turn} was {' and later '.join(said)}"


def _trial(row: Row, play: Play, diary: Diary, actions: Sequence[int]) -> Iterator[str]:
    """What the participant saw of a trial."""
    if int(row["position"]) != play.position:
        yield f"position {row['position']}, expected {play.position}"
    if not set(actions) <= {0, play.held}:
        yield f"actions {sorted(set(actions))}, but only {play.held} was held"
    if len(actions) < play.seen:
        yield f"{len(actions)} actions, but the page saw step {play.seen}"
    if row["ended_by"] and int(row["steps_played"]) != len(actions):
        yield f"steps_played {row['steps_played']}, but {len(actions)} actions"
    if row["ended_by"] and abs(float(row["seconds_played"]) - STEP_S * len(actions)) > 0.006:
        yield f"seconds_played {row['seconds_played']} for {len(actions)} actions"
    if play.steps is not None and row["steps_played"] != str(play.steps):
        yield f"steps_played {row['steps_played']}, but the page was told {play.steps}"
    if bool(row["finished_at"]) != (diary.ending != LEFT or row["ended_by"] != "withdrew"):
        yield f"finished_at {row['finished_at']!r} with ended_by {row['ended_by']!r}"
    expected = {STOPPED: ("stopped",), TIME_OVER: ("limit", "time")}
    if play.text in expected and row["ended_by"] not in expected[play.text]:
        yield f"ended_by {row['ended_by']!r}, but the page was told {play.text!r}"
    if row["ended_by"] == "stopped" and not play.stopped:
        yield "stopped, but the participant did not stop it"


def _score(row: Row, task: Task, plan: Plan, actions: Sequence[int]) -> Iterator[str]:
    """The score, computed again from the actions, by the rule that the codebook describes."""
    if not row["finished_at"]:
        return
    with Episode(task.spec, task_id=task.id, seed=plan.study.seed, trial=int(row["trial"])) as episode:
        for action in actions:
            episode.step(ACTIONS[action])
        over = ("health", "time") if episode.outcome is Outcome.HEALTH else (str(episode.outcome),)
        if row["ended_by"] not in (over if episode.done else ("stopped", "limit")):
            yield f"ended_by {row['ended_by']}, but the episode's outcome is {episode.outcome}"
        while not episode.done:
            episode.step(ACTIONS[0])
        got = (float(row["total_reward"]), row["passed"], int(row["steps"]))
        expected = (episode.total_reward, str(episode.passed), episode.steps)
        if got != expected:
            yield f"scored {got}, expected {expected}"


def _orders(out: Path, diaries: Mapping[str, Diary]) -> Iterator[str]:
    """Each test task at most once, at its place in the participant's order."""
    orders = {
        row["participant"]: json.loads(row["data"])["tasks"]
        for row in rows(out / "notes.csv")
        if row["kind"] == "order"
    }
    played: dict[str, list[tuple[int, str]]] = {code: [] for code in diaries}
    for row in rows(out / "trials.csv"):
        if int(row["position"]) >= 0:
            played[row["participant"]].append((int(row["position"]), row["task_id"]))
    for code, trials in played.items():
        expected = list(enumerate(orders[code]))
        is_short = diaries[code].ending == "completed" and len(trials) < len(expected)
        if trials != expected[: len(trials)] or is_short:
            yield f"{code}: played {trials} of {expected}"
