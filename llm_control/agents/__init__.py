"""Agents without a model, which answer the messages of a model."""
