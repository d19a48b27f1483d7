"""Oracle: an agent that plans on the true state, in imagination."""
