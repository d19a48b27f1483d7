"""Shapes, and where everything is placed at the start of an episode."""
