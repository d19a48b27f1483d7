"""What people did: published results of children, teams, agents and models, and how tasks are linked."""
