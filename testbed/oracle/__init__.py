"""Oracle: an agent that plans on the true state of the arena and tries its plans in imagination."""
