"""Links that lead participants into a study and out of it."""
