"""Agents that need no model: they answer the same messages that a model gets."""
