"""Requests to a model: parameters, budgets, prices, faults, and what of a conversation is sent."""
