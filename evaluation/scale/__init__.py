"""One scale for all suites: 0 is what silence gets, 1 what the best reference agent gets."""
