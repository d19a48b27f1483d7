"""Playing tasks as somebody who looks at the pictures would: by keys, and by scripts."""

import base64
import io
import random
import time
from collections.abc import Callable

import numpy as np
from PIL import Image

from llm_control.agents import pixels
from people.simulation.game_page import GamePage, Received
from render import decode

LOOKED_AT = 128
"""Pixels per side to which pictures are reduced; a ball is recognised by its colour."""

STRAIGHT, AHEAD = 8.0, 25.0
"""Degrees to the side within which a ball needs no turning, and within which one drives while turning."""

MESSAGE_S = 0.013
"""Interval of messages, below the 100 a second that a server accepts."""

FORWARD, RIGHT, LEFT, FORWARD_RIGHT, FORWARD_LEFT = 3, 1, 2, 4, 5
"""Indices into `arena.ACTIONS`."""


class Driver:
    """Steers to a ball that it sees, and otherwise looks around and drives about at random."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._left, self._searching = 0, FORWARD

    def keys(self, jpeg: bytes) -> int:
        """The keys to hold after this picture, as an index into `arena.ACTIONS`."""
        picture = Image.open(io.BytesIO(jpeg))
        picture.draft("RGB", (LOOKED_AT, LOOKED_AT))
        frame = np.asarray(picture.convert("RGB"))
        goals = pixels.blobs(frame, pixels.YELLOW) or pixels.blobs(frame, pixels.GREEN)
        if not goals:
            return self._search()
        bearing = goals[0].bearing
        if abs(bearing) < STRAIGHT:
            return FORWARD
        side = bearing > 0
        if abs(bearing) < AHEAD:
            return FORWARD_RIGHT if side else FORWARD_LEFT
        return RIGHT if side else LEFT

    def script(self, images: list[str], fruitless: int) -> str:
        """A script after these images (data URLs), of which the last is the present one."""
        if not images:
            return "Go(5);"
        frame = decode(base64.b64decode(images[-1].partition(",")[2]))
        return pixels.answer(frame, fruitless, np.random.default_rng(self._random.getrandbits(32)))

    def _search(self) -> int:
        self._left -= 1
        if self._left <= 0:
            self._left = self._random.randint(5, 25)
            self._searching = self._random.choice((FORWARD, FORWARD, RIGHT, LEFT, FORWARD_RIGHT))
        return self._searching


def play_task(page: GamePage, driver: Driver, goes_on: Callable[[], bool]) -> Received | None:
    """Play the present trial; returns the server's message of its end, None if `goes_on` ended it early.

    A trial that cannot be played, of which the server says so, ends with that message.
    """
    return (_by_scripts if page.trial["mode"] == "scripts" else _by_keys)(page, driver, goes_on)


def _by_keys(page: GamePage, driver: Driver, goes_on: Callable[[], bool]) -> Received | None:
    held, sent_at = 0, time.monotonic()
    page.do("start")
    while goes_on():
        message = page.hear()
        match message["type"]:
            case "end" | "failed":
                return message
            # Keys do not count before the clock runs.
            case "paused" | "running":
                held = 0
            case "frame" if (keys := driver.keys(message["frame"].jpeg)) != held:
                page.do("keys", action=keys)
                held = keys
        if message["type"] in ("frame", "paused"):
            time.sleep(max(0.0, 2 * MESSAGE_S - (time.monotonic() - sent_at)))
            sent_at = time.monotonic()
    return None


def _by_scripts(page: GamePage, driver: Driver, goes_on: Callable[[], bool]) -> Received | None:
    turns, fruitless = page.trial["turns"], 0
    while goes_on():
        script = driver.script([image for turn in turns[-1:] for image in turn["images"]], fruitless)
        fruitless = fruitless + 1 if "see no ball" in script else 0
        page.do("script", text=script)
        message = page.until("turns", "end", "failed")
        if message["type"] != "turns":
            return message
        turns = message["turns"]
    return None
