"""The `arena-llm` command, also as `python -m arena_llm`."""

import signal
import sys
from collections.abc import Callable
from contextlib import suppress


def main() -> None:
    """Run the command; if a package is missing or broken, say so in one sentence, or run `doctor`.

    Ctrl-C ends it with one sentence and status 130, even while packages are being imported.
    """
    try:
        try:
            from arena_llm.cli import main as run
        except ImportError as error:
            run = _without(error)
        run()
    except KeyboardInterrupt:
        print("arena-llm: stopped", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)


def _without(error: ImportError) -> Callable[[], None]:
    """The command `doctor` if it was asked for and can be imported; otherwise exits with a sentence."""
    if sys.argv[1:2] == ["doctor"]:
        with suppress(ImportError):
            from arena_llm.commands.doctor import doctor_alone

            return doctor_alone
    print(f"arena-llm: {error}; `make setup` repairs it, and `arena-llm doctor` shows more", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main()
