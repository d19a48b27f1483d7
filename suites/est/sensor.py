"""What learners observe of EST's episodes, symbols or pictures, and what people see of them."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from arena.errors import ConfigError
from suites.est.things import Thing, appearances
from suites.est.world import OBJECTS, Bools, Machines

if TYPE_CHECKING:
    from suites.est.picture import Table

OBSERVATIONS = ("symbol", "image")

SYMBOLS = spaces.Box(0, 1, (OBJECTS + 1,), np.float32)
"""The panel that is seen: for each object whether it is on the machine, and whether that is lit."""

Frames = npt.NDArray[np.uint8]


class Sensor:
    """Observes a batch of episodes; pictures are drawn by tables that it opens when it first needs them.

    Tables belong to the process: a copy, or one that was pickled, opens its own.
    """

    def __init__(
        self,
        observation: str = "symbol",
        *,
        width: int = 160,
        height: int = 120,
        render_mode: str | None = None,
        render_resolution: int = 512,
    ) -> None:
        """`observation` is "symbol", see `SYMBOLS`, or "image", a picture of `width` x `height` pixels, uint8
        (height, width, 3); `render_resolution` is the side of the pictures of `render_mode="rgb_array"`.

        Raises ConfigError for another observation or mode, and RenderError for another size than 4 to 1024.
        """
        if observation not in OBSERVATIONS:
            raise ConfigError(
                f"observation: got {observation!r}, expected one of {', '.join(map(repr, OBSERVATIONS))}"
            )
        if render_mode not in (None, "rgb_array"):
            raise ConfigError(f"render_mode: got {render_mode!r}, expected None or 'rgb_array'")
        self.render_mode = render_mode
        self._size, self._render_size = (width, height), (render_resolution, render_resolution)
        self._is_image = observation == "image"
        if self._is_image:
            _check(*self._size)
        if render_mode:
            _check(*self._render_size)
        self.space = spaces.Box(0, 255, (height, width, 3), np.uint8) if self._is_image else SYMBOLS
        self._things: list[tuple[Thing, ...]] = []
        self._tables: dict[tuple[int, int], Table] = {}

    def start(self, episodes: int, rng: np.random.Generator) -> None:
        """Begin a batch. Appearances have a generator of their own, so that symbols are the same without."""
        self._rng = rng.spawn(1)[0]
        self._things = [()] * episodes
        self.restart(np.ones(episodes, np.bool_))

    def restart(self, chosen: Bools) -> None:
        """Draw other objects for the chosen episodes, bool (episodes,)."""
        if self._is_image or self.render_mode:
            for number in np.flatnonzero(chosen):
                self._things[number] = appearances(self._rng)

    def observe(self, world: Machines, chosen: Bools | None = None) -> npt.NDArray[Any]:
        """Observations (episodes, *space.shape) of a batch, or of its `chosen` episodes, bool (episodes,)."""
        if self._is_image:
            return self._drawn(world, self._size, chosen)
        seen = np.column_stack([world.panels, world.lights]).astype(np.float32)
        return seen if chosen is None else seen[chosen]

    def render(self, world: Machines) -> Frames | None:
        """Pictures for people, uint8 (episodes, render_resolution, render_resolution, 3); None without a
        `render_mode`."""
        return self._drawn(world, self._render_size) if self.render_mode else None

    def close(self) -> None:
        """Free the tables."""
        self._tables.clear()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_tables": {}}

    def _drawn(self, world: Machines, size: tuple[int, int], chosen: Bools | None = None) -> Frames:
        table = self._table(size)
        numbers = range(len(world.over)) if chosen is None else np.flatnonzero(chosen)
        return np.stack(
            [table.picture(self._things[k], world.panels[k].tolist(), bool(world.lights[k])) for k in numbers]
        )

    def _table(self, size: tuple[int, int]) -> "Table":
        from suites.est.picture import Table  # here, as symbols need no renderer

        if size not in self._tables:
            self._tables[size] = Table(*size)
        return self._tables[size]


def _check(width: int, height: int) -> None:
    from render.image import check_size  # here, as symbols need no renderer

    check_size(width, height)
