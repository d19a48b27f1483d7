"""Rays cast by the agent: what they hit and how far away it is."""
