"""Human play: answer forms, and episodes of any suite as files."""
