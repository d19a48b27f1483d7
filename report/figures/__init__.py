"""Figures: runs by group, and beside children and competition."""
