"""The learning agents of the paper's Tables 3 and 4: `python -m suites.est.learners`."""
