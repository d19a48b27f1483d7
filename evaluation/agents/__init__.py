"""How a model's replies come about: the agents that ask it for plans, hypotheses and actions."""
