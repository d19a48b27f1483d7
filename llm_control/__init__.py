"""The arena's suite: how language models, agents and policies play its tasks."""
