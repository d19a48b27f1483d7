"""Package `discoveryworld`, adapted to share a process.

Unmodified, it prints at every step, draws from the global random generator and from unseeded ones of its own,
orders objects by their addresses in memory, ends the process at a wrong name, and opens a window. All this is
changed from outside, once, in the package's modules; nothing of it is copied.
"""

import importlib
import os
import pkgutil
import random
import tempfile
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from math import inf
from types import ModuleType
from typing import Any, NamedTuple, NoReturn
from unittest.mock import patch

import numpy as np

from arena.errors import ArenaError, EvaluationError
from arena.packages import require
from evaluation.suite import Frame
from suites.discoveryworld.catalogue import Kind

NAME = "discoveryworld"

_lock = threading.RLock()


class _Dice:
    """Replacement of the package's `random`, drawing from the current world. Generators that are made without
    a seed get one from there."""

    def __init__(self) -> None:
        self.current = random.Random(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.current, name)

    def Random(self, seed: Any = None) -> random.Random:
        """Create a separate generator."""
        return random.Random(self.current.getrandbits(64) if seed is None else seed)


_dice = _Dice()


@contextmanager
def calling(rng: random.Random) -> Generator[None, None, None]:
    """Make one call of the package at a time, which draws from `rng`. Raises EvaluationError for whatever the
    package raises, an attempt to end the process among it."""
    with _lock, np.errstate(all="ignore"):
        before, _dice.current = _dice.current, rng
        try:
            yield
        except ArenaError:
            raise
        except (Exception, SystemExit) as error:
            said = f"{type(error).__name__}: {error}"
            raise EvaluationError(f"the package {NAME} failed: {said[:200]}") from error
        finally:
            _dice.current = before


@cache
def modules() -> dict[str, ModuleType]:
    """The package's modules by name, such as objects.Object, after the changes."""
    require(NAME)
    with patch.dict(os.environ, PYGAME_HIDE_SUPPORT_PROMPT="1"):
        importlib.import_module("pygame")
    package = importlib.import_module(NAME)
    listed = [each.name for each in pkgutil.walk_packages(package.__path__, f"{NAME}.")]
    # Modules that ask a provider about results are left out.
    wanted = [name for name in listed if "Knowledge" not in name]
    found = {name.removeprefix(f"{NAME}."): importlib.import_module(name) for name in wanted}
    for module in found.values():
        values = vars(module)
        values["print"], values["exit"] = _silent, _refuse
        if values.get("random") is random:
            values["random"] = _dice
    _make_reproducible(found)
    _make_quick(found)
    sprites = found["SpriteLibrary"].SpriteLibrary
    vars(found["World"])["SpriteLibrary"] = cache(lambda *names: _sprites(sprites, *names))
    found["World"].World.saveWorldHistory = _silent
    found["DiscoveryWorldAPI"].DiscoveryWorldAPI.createHeadlessWindow = _no_window
    return found


def _make_reproducible(found: dict[str, ModuleType]) -> None:
    """Order by ids and the alphabet instead of addresses and hashes."""
    found["objects.Object"].Object.__hash__ = lambda each: each.uuid
    feed = found["DiscoveryFeed"].DiscoveryFeed
    signals = feed.getSignalsFromPosts
    feed.getSignalsFromPosts = lambda self, curStep: sorted(signals(self, curStep))


def _make_quick(found: dict[str, ModuleType]) -> None:
    """Speed up the package's slowest work: walks over tiles, and paths."""
    layers, paths = found["Layer"].Layer, found["Pathfinding"]
    # Python would compute the hash of a name again for each look at a layer of a tile.
    layers.__hash__ = object.__hash__
    downwards, find = tuple(layers)[::-1], paths.Pathfinder.findPathNextStep
    paths.Pathfinder.findPathNextStep = lambda self, world, *ends: find(
        self, _Obstacles(world, downwards), *ends
    )
    vars(paths)["Grid"] = _KeptGrid(paths.Grid)
    found["World"].World.tick = _tick


def _tick(world: Any) -> None:
    """Advance all things by tiles and layers, then task and messages."""
    tiles = [tile["layers"].values() for column in world.grid for tile in column]
    for layers in tiles:
        for things in layers:
            for thing in things:
                thing.resetTick()
    for layers in tiles:
        for things in layers:
            for thing in things:
                thing.tick()
    world.taskScorer.updateTick()
    signals = world.discoveryFeed.getSignalsFromPosts(curStep=world.step)
    for agent in world.agents:
        for signal in signals:
            agent.addState(signal)
    world.step += 1


class _KeptGrid:
    """Cached grid nodes; only changed costs are set."""

    def __init__(self, make: Any) -> None:
        self._make, self._grid, self._costs = make, None, [[0.0]]

    def __call__(self, matrix: list[list[float]]) -> Any:
        """Return the grid with these tile costs. Tiles not above 0 are blocked."""
        before, self._costs = self._costs, matrix
        if self._grid is None or (len(before), len(before[0])) != (len(matrix), len(matrix[0])):
            self._grid = self._make(matrix=matrix)
            return self._grid
        for nodes, old, new in zip(self._grid.nodes, before, matrix, strict=True):
            for node, cost in zip(nodes, new, strict=True) if old != new else ():
                node.weight, node.walkable = float(cost), cost > 0
        walked = (cost for costs in matrix for cost in costs if cost > 0)
        self._grid._min_weight = float(min(walked, default=inf))
        return self._grid


class _Obstacles:
    """World for path finding: only each tile's first obstacle."""

    def __init__(self, world: Any, downwards: tuple[Any, ...]) -> None:
        self.sizeX, self.sizeY, self.grid, self._downwards = world.sizeX, world.sizeY, world.grid, downwards

    def getObjectsAt(self, x: int, y: int) -> tuple[Any, ...]:
        """Return the obstacle, if any."""
        layers = self.grid[x][y]["layers"]
        for layer in self._downwards:
            for thing in layers[layer]:
                if not thing.attributes["isPassable"]:
                    return (thing,)
                for each in thing.getAllContainedObjectsRecursive() if thing.contents else ():
                    if not each.attributes["isPassable"]:
                        return (each,)
        return ()


def _sprites(make: Any, *names: Any) -> Any:
    """Load the sprites once for all worlds, with a dummy display if necessary."""
    import pygame

    if pygame.display.get_surface() is not None:
        return make(*names)
    with patch.dict(os.environ, SDL_VIDEODRIVER="dummy"):
        try:
            pygame.display.init()
            pygame.display.set_mode((1, 1))
            return make(*names)
        finally:
            pygame.display.quit()


def _silent(*_: Any, **__: Any) -> None:
    """Replace printing and saving of the world's history by nothing."""


def _no_window(_: Any) -> Any:
    """Make a surface instead of a window."""
    import pygame

    return pygame.Surface((1, 1), 0, 32)


def _refuse(status: object = None) -> NoReturn:
    raise RuntimeError(f"it wanted to end the process with status {status}")


WIDTH, HEIGHT = 768, 512
"""Pixels of a picture, as in the paper: 24 x 16 tiles of 32 pixels."""

_TILES = (24, 16)


class Card(NamedTuple):
    """Line of a scorecard: criterion, points, and maximum points."""

    text: str
    score: float
    most: float


class Progress(NamedTuple):
    """Progress of the task: share of points, end, success, and scorecard. `questions` are what an agent
    should have found out, each answered by yes or no."""

    score: float
    over: bool
    solved: bool
    cards: tuple[Card, ...]
    questions: tuple[str, ...]


class World:
    """World of a kind and a seed. Raises EvaluationError if the package fails.

    `rng` draws everything that the package does not seed, such as others' walks. The world can be interleaved
    with any other in this process.
    """

    def __init__(self, kind: Kind, seed: int, rng: random.Random) -> None:
        self._rng = rng
        with calling(rng), tempfile.TemporaryDirectory(prefix="discoveryworld-") as folder:
            import pygame

            package = modules()["DiscoveryWorldAPI"]
            pygame.font.init()
            self._api = package.DiscoveryWorldAPI()
            self._api.FRAME_DIR = folder
            if not self._api.loadScenario(kind.scenario, kind.difficulty, seed):
                raise EvaluationError(f"{kind.name}: there is no such world in the package")

    def look(self) -> dict[str, Any]:
        """Observe the agent's view as the package's JSON. A message that popped up is there only once."""
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
        """Apply an action of the package's JSON, and return its success. Time passes. An action in which the
        package fails has not succeeded."""
        with calling(self._rng):
            try:
                done = bool(self._api.performAgentAction(0, dict(action)).get("success"))
            except Exception:  # any unexpected error of the package
                self._api.ui[0].updateLastActionMessage("That cannot be done.")
                done = False
            self._api.tick()
            return done

    def places(self) -> tuple[str, ...]:
        """Names of the places to teleport to."""
        with calling(self._rng):
            return tuple(self._api.listTeleportLocationsDict())

    def progress(self) -> Progress:
        """Compute the task's progress; never shown to an agent."""
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
        """Draw the surroundings, uint8 (512, 768, 3), with the installed package's sprites."""
        with calling(self._rng):
            import pygame

            surface = pygame.Surface((WIDTH, HEIGHT), 0, 32)
            x, y = self._api.ui[0].currentAgent.getWorldLocation()
            self._api.world.renderViewport(
                surface, x - _TILES[0] // 2, y - _TILES[1] // 2, *_TILES, 0, 0, 1.0
            )
            return np.ascontiguousarray(pygame.surfarray.array3d(surface).swapaxes(0, 1))
