"""Choices of a run: models, presets, contradictions, and origins."""
