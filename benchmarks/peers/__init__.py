"""Our pictures and steps compared with other programs', all on one scene and in turn.

Each contender runs in its own process, as two programs cannot share OpenGL in one; only one of them works at
a time. A new one is a module like its neighbours and an entry in `benchmarks/peers/contenders.py`.
"""
