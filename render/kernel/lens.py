"""A camera as numbers for compiled code."""

EYE, RIGHT, UP, FORWARD = 0, 3, 6, 9
"""First places of the camera's position and axes, each of three numbers in the arena's frame."""

WIDE, HIGH, NEAR, FAR, PARALLEL = range(12, 17)
"""Half the picture's width and height at a distance of 1 (without perspective: in metres), the planes'
distances in metres, and 1 for a camera without perspective."""

LENS = 17
"""Numbers of a camera."""
