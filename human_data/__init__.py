"""Published results of children, teams, agents and models, and task linking."""
