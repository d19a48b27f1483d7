"""Figures of runs by group, and compared with children and competition."""
