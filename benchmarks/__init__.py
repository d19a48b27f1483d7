"""How fast arenas are built, simulated and drawn on this machine, compared with other programs."""
