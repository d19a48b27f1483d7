"""BoxingGym: experiments in ten generative worlds, and predictions of outcomes. Gandhi et al., "BoxingGym:
Benchmarking progress in automated experimental design and model discovery"."""
