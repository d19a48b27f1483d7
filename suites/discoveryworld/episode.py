"""Episodes for the runner: actions in, observations out."""

import json
import random
from typing import Any, NamedTuple

import numpy as np

from evaluation.prompts import without_gaps
from evaluation.suite import EpisodeSetup, Observation, Part, Record, TurnByTurn
from suites.discoveryworld.actions import PLAIN, Scene, Unusable, available
from suites.discoveryworld.catalogue import kinds
from suites.discoveryworld.names import Names, objects_in
from suites.discoveryworld.observation import compact, sentences, short
from suites.discoveryworld.replies import Reply, read_reply
from suites.discoveryworld.simulator import HEIGHT, WIDTH, Progress, World
from suites.discoveryworld.suite import DiscoveryWorldChoices

DRAWN_BY = "discoveryworld"
"""Renderer: the package draws its own pictures, on the processor."""


class Turn(NamedTuple):
    """Reply with its result.

    `action` is the parsed action, in short, `thoughts` the rest of the reply. `message` is the package's
    answer, `done` whether the action succeeded. `score` is the share of the scorecard's points after it,
    `reward` its change. `gained` are the texts of the lines of the scorecard that got points.
    """

    turn: int
    reply: str
    thoughts: str
    action: str
    error: str | None
    done: bool
    message: str
    score: float
    reward: float
    gained: tuple[str, ...]


class Episode(TurnByTurn):
    """Plays one world by replies."""

    choices: DiscoveryWorldChoices

    def __init__(self, setup: EpisodeSetup) -> None:
        super().__init__(setup)
        self._draws, kind = setup.draws, kinds()[self._content["kind"]]
        self._steps = self.choices.steps_of(kind)
        rng = random.Random(self._seed)
        names = Names(random.Random(rng.getrandbits(64)))
        self._world = World(kind, self._content["seed"], rng)
        actions = available(self.choices.teleport)
        self._scene = Scene(names.translated(self._world.look()), names, self._world.places(), actions)
        self._progress: Progress = self._world.progress()

    @property
    def known(self) -> Scene:
        """Return the scene for offline agents."""
        return self._scene._replace(turns=tuple(self.turns))

    def begin(self) -> Observation:
        """Return the task and the first observation."""
        return self._observation("first_turn")

    def reply(self, text: str) -> Observation:
        """Carry out the action of a reply."""
        reply = read_reply(text)
        if reply.action is None:
            return self._unused(text, reply, reply.problem)
        try:
            action = self._scene.usable(reply.action, reply.arguments)
        except Unusable as error:
            return self._unused(text, reply, str(error))
        done = self._world.act(action)
        seen = self._scene.names.translated(self._world.look())
        self._scene = self._scene._replace(observation=seen)
        return self._next(text, reply, done)

    def refuse(self, text: str, reason: str) -> Observation:
        """Spend a step without an action, because the reply calls no tool."""
        return self._unused(text, Reply(text.strip()), reason)

    def finish(self) -> Record:
        """End the episode."""
        turns, progress = self.turns, self._progress
        over = progress.over or len(turns) >= self._steps
        outcome = (
            "solved" if progress.solved else "failed" if progress.over else "last step" if over else "stop"
        )
        metrics: dict[str, float | int] = {
            "total_reward": progress.score,
            "completion": int(progress.solved),
            "procedure": progress.score,
            "steps": len(turns),
            "failed_actions": sum(not turn.done and turn.error is None for turn in turns),
            "unusable_replies": sum(turn.error is not None for turn in turns),
        }
        replay = {**self._content, "steps": self._steps}
        replay["scorecard"] = [list(card) for card in progress.cards]
        replay["questions"] = list(progress.questions)
        said = {"outcome": outcome, "score": 100 * progress.score}
        return self._record(outcome, progress.solved, progress.score, metrics, replay, over=over, **said)

    def _unused(self, text: str, reply: Reply, error: str) -> Observation:
        """Spend a step of a stopped world on an unusable reply."""
        # What the last action said was shown before.
        seen = {**self._scene.observation, "lastActionMessage": "", "extended_action_message": ""}
        self._scene = self._scene._replace(observation=seen)
        return self._next(text, reply, False, error)

    def _next(self, text: str, reply: Reply, done: bool, error: str | None = None) -> Observation:
        before, now = self._progress, self._world.progress()
        pairs = zip(now.cards, before.cards, strict=True)
        self._progress = now
        turn = Turn(
            turn=len(self.turns) + 1,
            reply=text,
            thoughts=reply.thoughts,
            action=str(reply),
            error=error,
            done=done,
            message="" if error else self._scene.observation["lastActionMessage"],
            score=now.score,
            reward=now.score - before.score,
            gained=tuple(card.text for card, old in pairs if card.score > old.score),
        )
        self.turns.append(turn)
        if now.over or len(self.turns) >= self._steps:
            return Observation(done=True, reward=turn.reward)
        if error is not None:
            return self._observation("invalid_reply", turn.reward, error, feedback=error)
        told = short(turn.message) or ("Done." if done else "Not done.")
        return self._observation("turn", turn.reward, told)

    def _observation(
        self, name: str, reward: float = 0.0, told: str | None = None, **values: Any
    ) -> Observation:
        """Compose a text and, if chosen, a picture. Data are for the form."""
        # A short memory would forget information that only the first message has.
        again = name == "first_turn" or bool(self.choices.memory)
        places = ", ".join(self._scene.places) if self.choices.teleport and again else ""
        text = self._prompts[name].fill(
            task=self._scene.task if again else "",
            places=f"Places: {places}." if places else "",
            seen=self._seen(),
            step=len(self.turns) + 1,
            steps=self._steps,
            **values,
        )
        parts: tuple[Part, ...] = (without_gaps(text),)
        drawn_by = DRAWN_BY if self.choices.shows_images else None
        if drawn_by:
            blank = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
            parts = (self._world.picture() if self._draws else blank, *parts)
        data = self._data(values.get("feedback", ""))
        return Observation(parts, told=told, reward=reward, drawn_by=drawn_by, data=data)

    def _seen(self) -> str:
        seen, near = dict(self._scene.observation), self.choices.observation != "image"
        if self.choices.format == "compact":
            return compact(seen, self._scene.names, near)
        # The task is in the first message.
        del seen["taskProgress"]
        shown = seen if near else {k: v for k, v in seen.items() if k != "nearbyObjects"}
        return json.dumps(shown, ensure_ascii=False)

    def _data(self, feedback: str) -> dict[str, Any]:
        scene, near = self._scene, self.choices.observation != "image"
        text = sentences(scene.observation, scene.names, near)
        step = f"Step {len(self.turns) + 1} of {self._steps}."
        seen = (each for each in objects_in(scene.observation) if each["name"] not in PLAIN)
        labels = dict.fromkeys(scene.names.label(each["uuid"]) for each in seen)
        return {
            "task": scene.task,
            "text": "\n".join(filter(None, (feedback, text, step))),
            "options": scene.options,
            "templates": scene.templates(),
            "labels": tuple(labels),
            "moves": scene.moves(),
        }
