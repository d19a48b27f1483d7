"""What suites share in the panels that they add to reports."""
