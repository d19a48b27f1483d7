"""One world of the package: loaded without files and windows, and played by its own JSON actions."""

import random
import tempfile
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from arena.errors import EvaluationError
from evaluation.suite import Frame
from suites.discoveryworld.catalogue import Kind
from suites.discoveryworld.package import calling, modules

WIDTH, HEIGHT = 768, 512
"""Pixels of a picture, as in the paper: 24 x 16 tiles of 32 pixels."""

_TILES = (24, 16)


class Card(NamedTuple):
    """One line of a scorecard: what it is for, points, and the most points."""

    text: str
    score: float
    most: float


class Progress(NamedTuple):
    """How far the task is: the share of all points, whether it is over and solved, and the scorecard.

    `questions` are what an agent should have found out, each answered by yes or no.
    """

    score: float
    over: bool
    solved: bool
    cards: tuple[Card, ...]
    questions: tuple[str, ...]


class World:
    """A world of a kind and a seed. Raises EvaluationError if the package fails.

    `rng` draws what in the package is not drawn by the seed, such as where others walk. The world can be
    interleaved with any other in this process.
    """

    def __init__(self, kind: Kind, seed: int, rng: random.Random) -> None:
        self._rng = rng
        with calling(rng), tempfile.TemporaryDirectory(prefix="discoveryworld-") as folder:
            import pygame

            api = modules()["DiscoveryWorldAPI"].DiscoveryWorldAPI
            pygame.font.init()
            self._api = _headless(api)()
            self._api.FRAME_DIR = folder
            if not self._api.loadScenario(kind.scenario, kind.difficulty, seed):
                raise EvaluationError(f"{kind.name}: there is no such world in the package")

    def look(self) -> dict[str, Any]:
        """What the agent sees, as the package's JSON; a message that popped up is in one observation only."""
        with calling(self._rng):
            ui = self._api.ui[0]
            agent = ui.currentAgent
            if agent.isInDialog() and ui.dialogToDisplay is None:
                # The package shows a conversation that TALK or a key opens, not one that USE opens.
                said, options = agent.getAgentInDialogWith().dialogTree.getCurrentDialog()
                ui.dialogToDisplay = {"dialogText": said, "dialogOptions": options}
            found: dict[str, Any] = ui.renderJSON()
            found["dialog_box"]["is_in_dialog"] = self._api.isAgentInDialog(0)
            return found

    def act(self, action: Mapping[str, Any]) -> bool:
        """Carry out an action as the package's JSON, let time pass, and say whether it succeeded.

        An action in which the package fails has not succeeded.
        """
        with calling(self._rng):
            try:
                done = bool(self._api.performAgentAction(0, dict(action)).get("success"))
            except Exception:  # whatever the package does not expect
                self._api.ui[0].updateLastActionMessage("That cannot be done.")
                done = False
            self._api.tick()
            return done

    def places(self) -> tuple[str, ...]:
        """The names of the places to teleport to."""
        with calling(self._rng):
            return tuple(self._api.listTeleportLocationsDict())

    def progress(self) -> Progress:
        """How far the task is; never shown to an agent."""
        with calling(self._rng):
            (task,) = self._api.getTaskScorecard()
        cards = tuple(
            Card(each["description"], each["score"], each["maxScore"]) for each in task["scoreCard"]
        )
        return Progress(
            float(task["scoreNormalized"]),
            bool(task["completed"]),
            bool(task["completedSuccessfully"]),
            cards,
            tuple(task["criticalQuestions"]),
        )

    def picture(self) -> Frame:
        """What is around, uint8 (512, 768, 3), drawn with the sprites of the installed package."""
        with calling(self._rng):
            import pygame

            surface = pygame.Surface((WIDTH, HEIGHT), 0, 32)
            x, y = self._api.ui[0].currentAgent.getWorldLocation()
            self._api.world.renderViewport(
                surface, x - _TILES[0] // 2, y - _TILES[1] // 2, *_TILES, 0, 0, 1.0
            )
            return np.ascontiguousarray(pygame.surfarray.array3d(surface).swapaxes(0, 1))


def _headless(api: type[Any]) -> type[Any]:
    """The package's interface, which draws on a surface that is no window."""

    class Headless(api):  # type: ignore[misc]
        def createHeadlessWindow(self) -> Any:
            import pygame

            return pygame.Surface((1, 1), 0, 32)

    return Headless
