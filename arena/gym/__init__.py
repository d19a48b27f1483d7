"""Gymnasium and PettingZoo environments, and adapters for learning libraries."""
