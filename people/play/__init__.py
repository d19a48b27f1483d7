"""Browser play at the original's speed, recorded like a model's play."""
