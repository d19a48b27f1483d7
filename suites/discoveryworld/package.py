"""The package `discoveryworld`, made fit to be one of several things in a process.

As it is, it prints at every step, draws from the global random generator and from unseeded ones of its own,
orders objects by their addresses in memory, ends the process where a name is wrong, and opens a window. All
this is changed from outside, once, in the package's modules; nothing of it is copied.
"""

import importlib
import os
import pkgutil
import random
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from arena.errors import ArenaError, EvaluationError
from arena.packages import require

NAME = "discoveryworld"

_SKIPPED = "Knowledge"
"""In the names of modules that ask a provider about results."""

_lock = threading.RLock()


class _Dice:
    """Stands for the module `random` in the package: everything is drawn from the world that is being called.

    Generators that are made without a seed get one from there.
    """

    def __init__(self) -> None:
        self.current = random.Random(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.current, name)

    def Random(self, seed: Any = None) -> random.Random:
        """A generator of its own."""
        return random.Random(self.current.getrandbits(64) if seed is None else seed)


_dice = _Dice()


def check_installed() -> None:
    """Raise ConfigError, with what to install, if the package is missing."""
    require(NAME)


@contextmanager
def calling(rng: random.Random) -> Generator[None, None, None]:
    """One call of the package at a time, which draws from `rng`.

    Raises EvaluationError for whatever the package raises, an attempt to end the process among it.
    """
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
    """The package's modules by their names in it, such as objects.Object, changed as said above."""
    check_installed()
    _hide_greeting()
    package = importlib.import_module(NAME)
    listed = [each.name for each in pkgutil.walk_packages(package.__path__, f"{NAME}.")]
    found = {
        name.removeprefix(f"{NAME}."): importlib.import_module(name)
        for name in listed
        if _SKIPPED not in name
    }
    for module in found.values():
        values = vars(module)
        values["print"], values["exit"] = _silent, _refuse
        if values.get("random") is random:
            values["random"] = _dice
    _make_reproducible(found)
    sprites = found["SpriteLibrary"].SpriteLibrary
    vars(found["World"])["SpriteLibrary"] = cache(lambda *names: _sprites(sprites, *names))
    found["World"].World.saveWorldHistory = _silent
    return found


def _make_reproducible(found: dict[str, ModuleType]) -> None:
    """Orders that follow from addresses and from hashes of texts follow from ids and from the alphabet."""
    found["objects.Object"].Object.__hash__ = lambda each: each.uuid
    feed = found["DiscoveryFeed"].DiscoveryFeed
    signals = feed.getSignalsFromPosts
    feed.getSignalsFromPosts = lambda self, curStep: sorted(signals(self, curStep))


def _sprites(make: Any, *names: Any) -> Any:
    """The sprites, read once for all worlds; they need a display for that, a dummy if there is none."""
    import pygame

    if pygame.display.get_surface() is not None:
        return make(*names)
    before = os.environ.get("SDL_VIDEODRIVER")
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    try:
        pygame.display.init()
        pygame.display.set_mode((1, 1))
        return make(*names)
    finally:
        pygame.display.quit()
        if before is None:
            del os.environ["SDL_VIDEODRIVER"]
        else:
            os.environ["SDL_VIDEODRIVER"] = before


def _hide_greeting() -> None:
    """Let pygame print nothing when it is imported."""
    if "pygame" not in sys.modules:
        before = os.environ.get("PYGAME_HIDE_SUPPORT_PROMPT")
        os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
        importlib.import_module("pygame")
        if before is None:
            del os.environ["PYGAME_HIDE_SUPPORT_PROMPT"]


def _silent(*_: Any, **__: Any) -> None:
    """Does nothing in the place of printing and of saving the world's history."""


def _refuse(status: object = None) -> NoReturn:
    raise RuntimeError(f"it wanted to end the process with status {status}")
