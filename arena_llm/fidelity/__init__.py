"""Comparison of our arena with episodes recorded in the Unity original."""
