"""BoxingGym: choose experiments in ten generative worlds, and predict what comes of others.

Gandhi et al., "BoxingGym: Benchmarking progress in automated experimental design and model discovery".
"""
