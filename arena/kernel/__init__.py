"""The compiled core: what a tick and a ray need while only the agent moves."""
