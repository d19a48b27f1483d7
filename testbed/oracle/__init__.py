"""An oracle: an agent that knows the true state of the arena, plans on it and tries plans in imagination."""
