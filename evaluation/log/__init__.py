"""Reader of evaluation logs; no other package opens them."""
