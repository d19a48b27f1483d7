"""The battery as a whole: tasks drawn and proven solvable, proofs verified, demands tabled, the atlas."""
