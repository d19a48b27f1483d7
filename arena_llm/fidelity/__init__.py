"""Comparison of the arena with episodes recorded in the Unity original."""
