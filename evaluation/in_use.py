"""What a run of ours puts in the place of what any other program has, such as Inspect AI's command."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class InUse(Generic[T]):
    """A value that all of this process uses: the usual one, or the one of the run in progress."""

    def __init__(self, usual: T) -> None:
        self._values = [usual]

    def __call__(self) -> T:
        """The value now."""
        return self._values[-1]

    @contextmanager
    def using(self, value: T) -> Iterator[None]:
        """Use another value meanwhile."""
        self._values.append(value)
        try:
            yield
        finally:
            self._values.pop()
