"""The battery as a whole: proofs, demands and atlas. Tasks are drawn and proven solvable, proofs verified."""
