"""Speed as reinforcement learning needs it: environment steps, one and many, resets and memory."""
