"""Episodes that people play: forms by which they answer, and an episode of any suite as a file."""
