"""The choices of a run: their models, presets, contradictions, and where each comes from."""
