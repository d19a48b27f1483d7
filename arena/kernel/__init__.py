"""The compiled core of ticks and rays while only the agent moves."""
