"""Physics on PyBullet: bodies, contacts, the agent, and bodies at rest."""
