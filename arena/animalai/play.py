"""Human play in the browser, as in `animalai.play` (`animalai` 4.1 to 6.2)."""

import argparse
import subprocess
import sys

from arena.animalai import arenas
from arena.animalai.exception import UnityEnvironmentException


def play(
    configuration_file: str | None = None, env_path: str | None = None, log_path: str | None = None
) -> None:
    """Open a page to play a task file on, until Ctrl-C.

    The file is by default `arenas.GOOD_GOAL_RANDOM_POS`. This is the command `arena-llm play FILE --animal-ai
    4`, which needs the extra `people`. `env_path` and `log_path` have no effect. Raises
    UnityEnvironmentException, a ConfigError, if it cannot start.
    """
    file = arenas.GOOD_GOAL_RANDOM_POS if configuration_file is None else str(configuration_file)
    command = [sys.executable, "-m", "arena_llm", "play", file, "--animal-ai", "4"]
    try:
        ended = subprocess.run(command).returncode
    except KeyboardInterrupt:
        return
    if ended not in (0, 130):
        raise UnityEnvironmentException(f"arena-llm play {file}: ended with status {ended}; see its message")


def main() -> None:
    """Run the original's command line: `python -m arena.animalai.play --config_path FILE`."""
    parser = argparse.ArgumentParser(description="Play a task file in the browser.")
    parser.add_argument("--config_path", help="Task file.")
    parser.add_argument("--AAI_path", help="No effect: no program is needed.")
    parser.add_argument("--log_path", default="./logs", help="No effect.")
    given = parser.parse_args()
    play(given.config_path, given.AAI_path, given.log_path)


if __name__ == "__main__":
    main()
