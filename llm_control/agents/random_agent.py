"""An agent that answers with random scripts; the lower bound of every table."""

import numpy as np

from llm_control.script import Go, Script, Turn


def random_script(rng: np.random.Generator) -> str:
    """One turn by a multiple of 6 degrees within a half circle either way, then 1 to 20 steps forward."""
    turn = Turn(int(6 * rng.integers(-30, 31)))
    return str(Script((turn, Go(int(rng.integers(1, 21))))))
