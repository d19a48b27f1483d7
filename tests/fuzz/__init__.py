"""Slow tests: mutated files, wrong calls, and signals; `make test-slow` runs them, `-rP` prints counts."""
