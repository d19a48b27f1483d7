"""Entry point of `arena-llm`, also as `python -m arena_llm`."""

import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from arena_llm.interrupts import interrupted_status, obey_signals, print_anything


def main() -> None:
    """Run the command; if a package is missing or broken, say so in one sentence, or run `doctor`.

    Ctrl-C and SIGTERM end it with one sentence and status 130 or 143, even while packages are being imported.
    """
    obey_signals()
    print_anything()
    try:
        try:
            if sentence := _hidden_package():
                sys.exit(f"arena-llm: {sentence}")
            from arena_llm.cli import main as run
        except ImportError as error:
            run = _without(error)
        run()
    except KeyboardInterrupt:
        print("arena-llm: stopped", file=sys.stderr)
        sys.exit(interrupted_status())
    except SystemExit as exit:
        if exit.code == 128 + signal.SIGINT:
            sys.exit(interrupted_status())
        raise


def _hidden_package() -> str | None:
    """Name a user's file that is imported instead of one of our packages."""
    found, ours = find_spec("arena"), Path(__file__).absolute().parents[1] / "arena" / "__init__.py"
    if found is not None and found.origin is not None and Path(found.origin).resolve() != ours.resolve():
        return (
            f"{found.origin} shadows the package 'arena' of arena-llm: Python imports it instead; rename it"
        )
    from arena.packages import hidden

    return hidden()


def _without(error: ImportError) -> Callable[[], None]:
    """Return the command `doctor` if it was requested and can be imported; otherwise exit with a sentence."""
    if sys.argv[1:2] == ["doctor"]:
        with suppress(ImportError):
            from arena_llm.commands.doctor import doctor_alone

            return doctor_alone
    print(f"arena-llm: {error}; `make setup` repairs it, and `arena-llm doctor` shows more", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main()
