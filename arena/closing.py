"""Base of objects that are closed by a `with` block."""

from typing import Self


class Closing:
    """A context manager that calls its own `close` at the end."""

    def close(self) -> None:
        """Free the object's resources."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
