"""Episodes for the runner: commands in, the simulator's texts out."""

import re
from contextlib import closing
from functools import cache
from typing import Any, NamedTuple

from evaluation.prompts import without_gaps
from evaluation.suite import EpisodeSetup, Observation, Record, TurnByTurn
from suites.scienceworld.simulator import UNUSABLE, Subgoal, World
from suites.scienceworld.suite import GOLD_FACTOR, MOST_COMMANDS, MOVES, PAPER_STEPS, ScienceWorldChoices

EASY = {"easy": "easy", "plain": ""}
"""The simulator's texts for the choices of simplifications."""

_LABEL = re.compile(r"(?:next\s+)?(?:action|command)\s*\d*\s*[:：]\s*(?P<command>.*)", re.IGNORECASE)
_MARKS = " \t*_`>\"'“”"

LONGEST = 200
"""Maximum characters of a command; the longest useful one has about 100."""


class Turn(NamedTuple):
    """Reply with its result. `score` is the simulator's after it, from -1 to 1, `reward` its change.
    `reached` are the subgoals that this command reached, `subgoals` the number reached so far."""

    turn: int
    reply: str
    command: str
    observation: str
    error: str | None
    score: float
    reward: float
    subgoals: int
    reached: tuple[str, ...]


class Episode(TurnByTurn):
    """Plays one variation of a task by replies."""

    choices: ScienceWorldChoices

    def __init__(self, setup: EpisodeSetup) -> None:
        super().__init__(setup)
        name, variation = self._content["name"], self._content["variation"]
        gold = self.choices.budget == "gold"
        self._world = World(name, variation, EASY[self.choices.simplifications], gold, seed=self._seed)
        self._versions = {**setup.suite.versions(), "java": self._world.java}
        self._steps = GOLD_FACTOR * len(self._world.gold()) if gold else PAPER_STEPS
        self._task = self._world.description().removeprefix("Task Description:").strip()
        self._templates = self._world.templates()
        self._goals: tuple[Subgoal, ...] = self._world.subgoals()
        self._open, self._over, self._used_up = True, False, False
        self._number = 1

    @property
    def known(self) -> int:
        """Number of commands so far, for offline agents."""
        return len(self.turns)

    def begin(self) -> Observation:
        """Return the task and the surroundings."""
        actions = "\n".join(f"- {each}" for each in self._templates)
        return self._observation("first_turn", actions=actions)

    def finish(self) -> Record:
        """End the episode."""
        self.close()
        turns, score = self.turns, self.turns[-1].score if self.turns else 0.0
        passed = round(100 * score) == 100
        over = self._over or self._used_up
        outcome = "solved" if passed else "wrong" if score < 0 else "last step" if over else "stop"
        # The simulator adds up fractions, so that the full score can be a little above 1.
        clipped = min(max(score, 0.0), 1.0)
        goals = self._goals
        required = [goal for goal in goals if goal.required]
        metrics: dict[str, float | int] = {
            "total_reward": score,
            "steps": len(turns),
            "subgoals": sum(goal.reached for goal in goals) / len(goals) if goals else 0.0,
            "required_subgoals": sum(goal.reached for goal in required) / len(required) if required else 0.0,
            "unusable_commands": sum(turn.error is not None for turn in turns),
        }
        replay = {**self._content, "simplifications": self.choices.simplifications, "steps": self._steps}
        replay["versions"] = self._versions
        replay["subgoals"] = [[goal.text, goal.required, goal.reached] for goal in goals]
        said = {"outcome": outcome, "score": 100 * clipped}
        return self._record(outcome, passed, clipped, metrics, replay, over=over, **said)

    def close(self) -> None:
        """Free the world."""
        if self._open:
            self._open = False
            self._world.close()

    def gold_path(self) -> tuple[str, ...]:
        """Return the solving commands, for an offline agent. They are of the same world, or, if it was loaded
        without them, of another one; where plants grow by chance, neither solves every episode."""
        if self._world.has_gold:
            return tuple(self._world.gold())
        return _path(self._content["name"], self._content["variation"], EASY[self.choices.simplifications])

    def valid_actions(self) -> list[str]:
        """Return the presently valid commands, for an offline agent."""
        return self._world.valid_actions()

    def reply(self, text: str, reason: str | None = None) -> Observation:
        """Carry out a reply's command; a refused reply has none."""
        command, error = command_of(text) if reason is None else "", reason
        answer = self._world.step(command)
        before = self.turns[-1].score if self.turns else 0.0
        goals = self._world.subgoals()
        pairs = zip(goals, self._goals, strict=True)
        new = tuple(goal.text for goal, old in pairs if goal.reached and not old.reached)
        self._goals, self._over = goals, answer.over
        told = answer.text.strip()
        if error is None and told.startswith(UNUSABLE):
            error = told
        turn = Turn(
            turn=len(self.turns) + 1,
            reply=text,
            command=command,
            observation=told,
            error=error,
            score=answer.score,
            reward=answer.score - before,
            subgoals=sum(goal.reached for goal in goals),
            reached=new,
        )
        self.turns.append(turn)
        self._count()
        if answer.over or self._used_up:
            return Observation((told,), done=True, reward=turn.reward)
        return self._observation("turn", told=error or told, reward=turn.reward)

    refuse = reply

    def _count(self) -> None:
        """Count the last command, as the budget says."""
        commands = len(self.turns)
        self._used_up = commands >= self._steps
        self._number = commands + 1
        if self.choices.budget == "moves":
            moves = self._world.moves()
            self._used_up = moves > MOVES or commands >= MOST_COMMANDS
            self._number = min(moves + 1, MOVES)

    def _observation(self, name: str, reward: float = 0.0, told: str = "", **values: Any) -> Observation:
        """Compose a text with surroundings, inventory, and hints; data are referable names."""
        world, hints = self._world, self.choices.hints
        look, inventory = world.look().strip(), world.inventory()
        if name == "turn":
            values["told"] = "" if told in (look, inventory) else told
        objects = world.objects()
        listed = objects if hints == "objects" else world.valid_actions() if hints == "actions" else []
        hint = self._prompts[f"hints_{hints}"].fill(listed="\n".join(listed)) if listed else ""
        text = self._prompts[name].fill(
            task=self._task,
            look=look,
            inventory=inventory,
            hints=hint,
            step=self._number,
            steps=self._steps,
            **values,
        )
        seen = (values.get("told", ""), look, inventory, f"Step {self._number} of {self._steps}.")
        data = {"task": self._task, "objects": objects, "templates": self._templates, "seen": seen}
        return Observation((without_gaps(text),), told=told or None, reward=reward, data=data)


@cache
def _path(name: str, variation: int, simplifications: str) -> tuple[str, ...]:
    """Compute the commands that solve a variation in a separate world."""
    with closing(World(name, variation, simplifications, gold=True)) as world:
        return tuple(world.gold())


def command_of(reply: str) -> str:
    """Extract a reply's command: after its last label, otherwise the last line. Labels are `Action:` and
    `Command:`. Quotation marks, Markdown and a full stop around it are removed. Empty without a command."""
    lines = [stripped for line in reply.splitlines() if (stripped := line.strip(_MARKS))]
    labelled = [found["command"] for line in lines if (found := _LABEL.fullmatch(line))]
    # A label alone has its command in the next line, which is the last unless a remark follows.
    last = next((each for each in reversed(labelled) if each.strip(_MARKS)), lines[-1] if lines else "")
    return last.strip(_MARKS).rstrip(".").rstrip(_MARKS)[:LONGEST]
