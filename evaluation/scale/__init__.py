"""Common scale of suites: 0 for silence, 1 for the best reference."""
