"""Episodes for the runner: panels out, beliefs and trials in."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluation.suite import EpisodeSetup, Observation, Part, Record, TurnByTurn
from suites.est.replies import NO_TRIAL, Reply, read_reply
from suites.est.suite import EstChoices
from suites.est.world import (
    CONTEXT,
    HORIZON,
    OBJECTS,
    PRESETS,
    Bools,
    Episodes,
    Machines,
    Thing,
    distance,
    sets_of,
)

LIT, DARK, NOTHING = "lit", "dark", "nothing"
"""Words of an observation, which offline agents parse."""


class Drawn(NamedTuple):
    """Initial draws of an episode: appearances, Blickets and context panels. Objects are numbers from 0."""

    things: tuple[Thing, ...]
    blickets: tuple[int, ...]
    context: tuple[tuple[int, ...], ...]

    def episodes(self) -> Episodes:
        """Convert Blickets and context to a batch of one."""
        context = np.stack([_members(each) for each in self.context])
        return Episodes(_members(self.blickets)[None], context[None])


def read_drawn(content: Mapping[str, Any]) -> Drawn:
    """Read a task's episode, also from a log. Raises KeyError or TypeError if invalid."""
    return Drawn(
        tuple(Thing(*words) for words in content["objects"]),
        tuple(content["blickets"]),
        tuple(tuple(each) for each in content["context"]),
    )


class Turn(NamedTuple):
    """Reply with its result.

    `belief` and `oracle` are nine probabilities, `panel` and `trial` numbers of objects from 1. `panel` and
    `lit` are the observation before the reply, `trial` is tried next; None if no trial is carried out after
    this step. `distance` is that of the belief from the oracle's. `information` is the trial's expected
    information about the Blickets, in nats, and `regret` the further information expected of the best of all
    512 trials.
    """

    turn: int
    reply: str
    thoughts: tuple[str, ...]
    repairs: tuple[str, ...]
    error: str | None
    panel: tuple[int, ...]
    lit: bool
    belief: tuple[float, ...]
    belief_given: bool
    oracle: tuple[float, ...]
    distance: float
    solved: bool
    trial: tuple[int, ...] | None
    trial_given: bool
    information: float | None
    regret: float | None
    reward: float
    total_reward: float


class Episode(TurnByTurn):
    """Plays one episode by replies."""

    choices: EstChoices

    def __init__(self, setup: EpisodeSetup) -> None:
        super().__init__(setup)
        self._draws, self._drawn = setup.draws, read_drawn(self._content)
        rng = np.random.default_rng(self._seed)
        self._world = Machines(PRESETS[self.choices.machine], 1, rng, self._drawn.episodes())
        self._belief: tuple[float, ...] = (0.5,) * OBJECTS

    def begin(self) -> Observation:
        """Return the objects and the first panel."""
        listed = "\n".join(f"{k}: {thing}" for k, thing in enumerate(self._drawn.things, start=1))
        return self._observation("first_turn", objects=listed)

    def finish(self) -> Record:
        """End the episode."""
        turns, over = self.turns, bool(self._world.over[0])
        solved = bool(turns and turns[-1].solved)
        return self._record(
            "solution" if solved else "last step" if over else "stop",
            solved,
            float(solved),
            _metrics(turns),
            {"machine": self.choices.machine, **self._content},
            over=over,
            outcome="solved" if solved else "not solved",
            total_reward=turns[-1].total_reward if turns else 0.0,
            blickets=self._named([k + 1 for k in self._drawn.blickets]),
        )

    def reply(self, text: str, reason: str | None = None) -> Observation:
        """State a belief and try objects. A reply that is refused for a reason is a step with the last belief
        and an empty trial."""
        refused = None if reason is None else Reply(problems=(reason,))
        reply = refused or read_reply(text, strict=self.choices.strict)
        world, number = self._world, len(self.turns) + 1
        tried = CONTEXT <= number < HORIZON
        problems = (*reply.problems, *([NO_TRIAL] if tried and reply.no_trial else []))
        self._belief = reply.belief or self._belief
        trial = _members([k - 1 for k in reply.trial or ()])
        panel, lit, oracle = world.panels[0].copy(), bool(world.lights[0]), world.oracle.belief()[0]
        information, chosen = world.oracle.information()[0], int(sets_of(trial))
        step = world.step(np.array([self._belief]), trial[None])
        solved, reward = bool(step.solved[0]), float(step.rewards[0])
        tried = tried and not solved
        turn = Turn(
            turn=number,
            reply=text,
            thoughts=reply.thoughts,
            repairs=reply.repairs,
            error=" ".join(problems) or None,
            panel=_numbers(panel),
            lit=lit,
            belief=self._belief,
            belief_given=reply.belief is not None,
            oracle=tuple(oracle.tolist()),
            distance=float(distance(np.array([self._belief]), oracle[None])[0]),
            solved=solved,
            trial=_numbers(trial) if tried else None,
            trial_given=reply.trial is not None,
            information=float(information[chosen]) if tried else None,
            regret=float(information.max() - information[chosen]) if tried else None,
            reward=reward,
            total_reward=reward + (self.turns[-1].total_reward if self.turns else 0.0),
        )
        self.turns.append(turn)
        if world.over[0]:
            return Observation(done=True, reward=reward)
        if turn.error is not None:
            return self._observation("invalid_reply", reward=reward, step=number + 1, feedback=turn.error)
        return self._observation("turn", reward=reward, step=number + 1)

    refuse = reply

    def _observation(self, name: str, **values: Any) -> Observation:
        """Compose the present panel's text, after its picture if chosen. Its data are the step, and for each
        object whether it is on the machine."""
        reward = float(values.get("reward", 0))
        text = self._prompts[name].fill(steps=HORIZON, panel=self._panel(len(self.turns) + 1), **values)
        shown = {"step": len(self.turns) + 1, "on": tuple(self._world.panels[0].tolist())}
        told = self._told(len(self.turns) + 1, values.get("feedback"))
        if not self.choices.shows_images:
            return Observation((text,), told=told, reward=reward, data=shown)
        from render import DRAWN_BY

        return Observation((self._picture(), text), told=told, reward=reward, drawn_by=DRAWN_BY, data=shown)

    def _told(self, step: int, feedback: str | None) -> str | None:
        """Describe the panel for later turns. None if only a picture shows it."""
        if step <= CONTEXT and self.choices.observation == "image":
            return None
        return " ".join(filter(None, (feedback, self._in_words())))

    def _panel(self, step: int) -> str:
        """Describe the panel in words, or mention its picture."""
        prompts = self._prompts
        context = prompts["panel_context"].fill(number=step, context=CONTEXT)
        shown = [context if step <= CONTEXT else prompts["panel_trial"].fill(number=step - CONTEXT)]
        if self.choices.observation != "text":
            shown.append(prompts["panel_picture"].fill())
        if self.choices.observation != "image":
            shown.append(self._in_words())
        return " ".join(shown)

    def _in_words(self) -> str:
        on = self._named(_numbers(self._world.panels[0])) or NOTHING
        return self._prompts["panel_words"].fill(on=on, light=LIT if self._world.lights[0] else DARK)

    def _picture(self) -> Part:
        """Draw the panel, black if unwanted."""
        size = self.choices.image_size
        if not self._draws:
            return np.zeros((size, size, 3), np.uint8)
        from suites.est.picture import table

        world = self._world
        return table(size, size).picture(self._drawn.things, world.panels[0].tolist(), bool(world.lights[0]))

    def _named(self, numbers: Sequence[int]) -> str:
        return ", ".join(f"{number} ({self._drawn.things[number - 1]})" for number in numbers)


def _members(objects: Sequence[int]) -> Bools:
    """Mark objects, numbers from 0, as (9,)."""
    return np.isin(np.arange(OBJECTS), list(objects))


def _numbers(members: Bools) -> tuple[int, ...]:
    """List members, (9,) bool, as numbers from 1."""
    return tuple((np.flatnonzero(members) + 1).tolist())


def _metrics(turns: Sequence[Turn]) -> dict[str, float | int]:
    """Metrics of an episode for tables and reports, averaged over its steps."""
    context = turns[:CONTEXT]
    regrets = [turn.regret for turn in turns if turn.regret is not None]
    found: dict[str, float | int] = {
        "total_reward": turns[-1].total_reward if turns else 0.0,
        "context_reward": context[-1].total_reward if context else 0.0,
        "context_solved": int(any(turn.solved for turn in context)),
        "steps": len(turns),
        "missing_beliefs": sum(not turn.belief_given for turn in turns),
        "missing_trials": sum(turn.trial is not None and not turn.trial_given for turn in turns),
    }
    if turns:
        found["belief_distance"] = float(np.mean([turn.distance for turn in turns]))
    if regrets:
        found["trial_regret"] = float(np.mean(regrets))
    return found
