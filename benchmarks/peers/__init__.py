"""Our pictures and steps beside other programs', all on one scene and in turn.

Everything that is measured runs in a process of its own, as two programs cannot share OpenGL in one; only
one of them works at a time. A new one is a module like its neighbours and a line of
`benchmarks/peers/contenders.py`.
"""

from benchmarks.peers.contenders import CONTENDERS, Contender, Work, batch_contender
from benchmarks.peers.rounds import FULL_ROUNDS, QUICK_ROUNDS, Comparison, Rounds, Row, compare

__all__ = [
    "CONTENDERS",
    "FULL_ROUNDS",
    "QUICK_ROUNDS",
    "Comparison",
    "Contender",
    "Rounds",
    "Row",
    "Work",
    "batch_contender",
    "compare",
]
