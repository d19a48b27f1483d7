"""Agents that ask a model for plans, hypotheses and actions."""
