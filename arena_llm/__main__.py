"""The `arena-llm` command, also as `python -m arena_llm`."""

import sys
from collections.abc import Callable
from contextlib import suppress

from arena_llm.status import INTERRUPTED


def main() -> None:
    """Run the command; where a package is missing or broken, say so in a sentence and let `doctor` run.

    Ctrl-C ends it with a sentence and status 130, also while packages are still being imported.
    """
    try:
        try:
            from arena_llm.cli import main as run
        except ImportError as error:
            run = _without(error)
        run()
    except KeyboardInterrupt:
        print("arena-llm: stopped", file=sys.stderr)
        sys.exit(INTERRUPTED)


def _without(error: ImportError) -> Callable[[], None]:
    """The doctor, where that is asked for and itself can be imported; else ends with a sentence."""
    if sys.argv[1:2] == ["doctor"]:
        with suppress(ImportError):
            from arena_llm.commands.doctor import doctor_alone

            return doctor_alone
    print(f"arena-llm: {error}; `make setup` mends it, and `arena-llm doctor` says more", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main()
