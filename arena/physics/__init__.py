"""Physics on PyBullet: bodies, contacts, the agent, and what rests."""
