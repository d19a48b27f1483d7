"""Random generators from seeds: the same values give the same bits in every process."""

import hashlib

import numpy as np


def seed_words(seed: int) -> list[int]:
    """A seed, which may be negative, as words for a NumPy generator."""
    return [abs(seed), int(seed < 0)]


def episode_rng(seed: int, task_id: str, trial: int) -> np.random.Generator:
    """The random generator of an episode; the same three values give the same bits everywhere."""
    words = np.frombuffer(hashlib.sha256(task_id.encode()).digest(), dtype="<u4").tolist()
    return np.random.default_rng([*seed_words(seed), trial, *words])
