"""Arena suite: tasks played by language models, agents and policies."""
