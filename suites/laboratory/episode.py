"""Episodes for the runner: outcomes out, experiments and a door in."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from arena.science import Floats, Seen, believed, families
from arena.science.words import asked, doors, seen, told
from evaluation.prompts import PromptSet
from evaluation.script import Listed
from evaluation.script.laboratory import Reply, read_belief, read_reply
from evaluation.suite import EpisodeSetup, Observation, Record, TurnByTurn

if TYPE_CHECKING:
    from suites.laboratory.picture import Bench


def story(question: families.Question, prompts: PromptSet) -> str:
    """Describe the possible hidden states, and the experiments."""
    values: dict[str, object] = {"told": told(question)}
    name: str = question.family
    if isinstance(question, families.SlopesQuestion):
        name, values["most"] = question.hides, families.FARTHEST_M
    if isinstance(question, families.FloorQuestion):
        shut = f" {prompts['lane_shut'].fill(lane=question.shut + 1)}" if question.asks == "side" else ""
        values |= {"most": families.WIDEST_M, "first": question.open_lanes()[0] + 1, "shut": shut}
    return prompts[name].fill(**values)


def experiment_of(question: families.Question, numbers: Sequence[float]) -> int | str:
    """Find the experiment with numbers from 1, or explain their error."""
    chosen = [int(number) - 1 for number in numbers]
    if isinstance(question, families.MachineQuestion):
        if all(0 <= k < question.things for k in chosen):
            return sum(1 << k for k in chosen)
        return f"The things have the numbers 1 to {question.things}."
    if isinstance(question, families.FloorQuestion):
        possible = question.open_lanes()
    else:
        possible = tuple(range(question.things))
    if len(chosen) == 1 and chosen[0] in possible:
        return possible.index(chosen[0])
    return f"Try one of: {', '.join(str(k + 1) for k in possible)}."


class Turn(NamedTuple):
    """Reply with its result.

    `kind` is `act` or `predict`; `posterior` is the exact probability of each door after the turn. Of an
    experiment, `experiment` and `outcome` are its numbers from 0, `said` is its description, `information` is
    its expected information about the door, and `best` that of the best one, in bits. `belief` was stated,
    `door` was opened, from 0.
    """

    turn: int
    kind: str
    reply: str
    thoughts: tuple[str, ...]
    repairs: tuple[str, ...]
    error: str | None
    posterior: tuple[float, ...]
    experiment: int | None = None
    outcome: int | None = None
    said: str | None = None
    information: float | None = None
    best: float | None = None
    belief: tuple[float, ...] | None = None
    door: int | None = None


class Episode(TurnByTurn):
    """Plays one episode by replies. `hidden`, `history` and `belief` (h,) are for offline agents."""

    def __init__(self, setup: EpisodeSetup) -> None:
        super().__init__(setup)
        self.question = families.read_question(self._content)
        self.hidden = self.question.hidden
        self._truth = families.truth(self.question, setup.choices.seed, setup.task.id, setup.trial)
        self._rng = np.random.default_rng(self._seed)
        self.history: list[Seen] = []
        self.belief: Floats = self.hidden.prior
        self.predicts = False
        self.door: int | None = None
        self._acts = 0
        self._said = ""
        self._bench = _bench(setup.task.id) if setup.choices.shows_images and setup.draws else None

    @property
    def experiments_left(self) -> int:
        """Number of remaining experiments; one reply is kept for the door."""
        return max(self.question.experiments - self._acts, 0)

    def begin(self) -> Observation:
        """Return the possible hidden states, the question and the doors."""
        question, prompts = self.question, self._prompts
        counts = {"experiments": question.experiments, "replies": question.experiments + 1}
        return self._observation(prompts["first_turn"].fill(**self._task(), **counts, now=self._now()))

    def _task(self) -> dict[str, str]:
        """Describe the possible hidden states, the question, and the doors."""
        told, every = story(self.question, self._prompts), enumerate(doors(self.question), start=1)
        listed = "\n".join(f"Door {number}: {door}" for number, door in every)
        return {"story": told, "question": asked(self.question), "doors": listed}

    def finish(self) -> Record:
        """End the episode."""
        right = int(self.hidden.doors[self._truth])
        outcome = "no door" if self.door is None else "right" if self.door == right else "wrong"
        passed = outcome == "right"
        opened = {"right": "you opened the right door", "wrong": "you opened a wrong door"}
        return self._record(
            outcome,
            passed,
            float(passed),
            {"total_reward": float(passed), **self._metrics()},
            {"question": self.question.model_dump(mode="json"), "truth": self._truth, "right": right},
            over=self._over,
            outcome=opened.get(outcome, "you opened no door"),
            right=f"{right + 1} ({doors(self.question)[right]})",
        )

    @property
    def _over(self) -> bool:
        return self.door is not None or self._acts > self.question.experiments

    def reply(self, text: str, reason: str | None = None) -> Observation:
        """Carry out an experiment, open a door, or record a belief. A reply that is refused for a `reason`
        has no effect."""
        strict, refused = self.choices.strict, None if reason is None else Reply(problem=reason)
        if self.predicts:
            return self._predicted(text, refused or read_belief(text, self.question.doors, strict=strict))
        reply = refused or read_reply(text, ("Try", "Open"), strict=strict)
        self._acts += 1
        turn = self._turn("act", text, reply)
        if reply.command is not None:
            turn = self._acted(reply.command, turn)
        self.turns.append(turn)
        if self._over:
            return Observation(done=True, reward=float(self.door == self.hidden.doors[self._truth]))
        if turn.error is not None:
            text = self._prompts["invalid_reply"].fill(feedback=turn.error, now=self._now())
            return self._observation(text)
        self.predicts = self.choices.beliefs
        if not self.predicts:
            return self._next()
        listed = "; ".join(f"{k}: {door}" for k, door in enumerate(doors(self.question), start=1))
        text = self._prompts["belief"].fill(said=self._said, doors=listed)
        return self._shown(text, {"predicts": True, "said": self._said}, kind="predict")

    refuse = reply

    def _turn(self, kind: str, text: str, reply: Reply) -> Turn:
        exact = tuple(self.hidden.of_doors(self.belief).tolist())
        return Turn(len(self.turns) + 1, kind, text, reply.thoughts, reply.repairs, reply.problem, exact)

    def _acted(self, command: Listed, turn: Turn) -> Turn:
        """Make the turn of a command that is carried out, or wrong."""
        question, numbers = self.question, command.numbers
        assert numbers is not None
        if command.name == "Open":
            if len(numbers) != 1 or not 1 <= numbers[0] <= question.doors:
                return turn._replace(error=f"The doors have the numbers 1 to {question.doors}.")
            self.door = int(numbers[0]) - 1
            return turn._replace(door=self.door)
        if self._acts > question.experiments:
            return turn._replace(error="There are no experiments left; open a door.")
        found = experiment_of(question, numbers)
        return turn._replace(error=found) if isinstance(found, str) else self._tried(found, turn)

    def _tried(self, experiment: int, turn: Turn) -> Turn:
        """Carry out an experiment."""
        hidden, expected = self.hidden, self.hidden.information(self.belief)
        outcome = hidden.happen(self._truth, experiment, self._rng)
        self.history.append(Seen(experiment, outcome))
        self.belief = hidden.updated(self.belief, experiment, outcome)
        self._said = said = seen(self.question, experiment, outcome)
        if self.choices.shows_images:
            self._said = self._prompts["picture"].fill()
        if self._bench is not None:
            self._bench.show(self.history[-1])
        return turn._replace(
            experiment=experiment,
            outcome=outcome,
            said=said,
            information=float(expected[experiment]),
            best=float(expected.max()),
            posterior=tuple(hidden.of_doors(self.belief).tolist()),
        )

    def _predicted(self, text: str, reply: Reply) -> Observation:
        """Record a belief; an unusable one is missing, and the episode continues."""
        self.predicts = False
        self.turns.append(self._turn("predict", text, reply)._replace(belief=reply.belief))
        return self._next()

    def _next(self) -> Observation:
        return self._observation(self._prompts["turn"].fill(said=self._said, now=self._now()))

    def _now(self) -> str:
        name = "act" if self.experiments_left else "last"
        return self._prompts[name].fill(number=self._acts + 1, replies=self.question.experiments + 1)

    def _observation(self, text: str) -> Observation:
        data = {
            "predicts": False,
            "first": not self.turns,
            "said": self._said,
            "experiments_left": self.experiments_left,
        }
        return self._shown(text, data, told=None if self.choices.shows_images else self._said or None)

    def _shown(self, text: str, data: dict[str, Any], **facts: Any) -> Observation:
        """Compose a text, after any picture of the arena; black if unwanted."""
        data |= {"task": tuple(self._task().values())}
        if not self.choices.shows_images:
            return Observation((text,), data=data, **facts)
        from render import DRAWN_BY

        size = self.choices.image_size
        frame = self._bench.picture(size) if self._bench else np.zeros((size, size, 3), np.uint8)
        return Observation((frame, text), data=data, drawn_by=DRAWN_BY, **facts)

    def _metrics(self) -> dict[str, float | int]:
        """Metrics of an episode for tables and reports."""
        asked = [turn for turn in self.turns if turn.kind == "predict"]
        invalid = {"invalid_replies": sum(turn.error is not None for turn in self.turns)}
        return self.hidden.measures(self.history, self._truth) | invalid | believed(asked, self.door)


def _bench(task_id: str) -> "Bench":
    # Here, as words need no arena.
    from suites.laboratory.picture import Bench

    return Bench(task_id)
