"""What learning algorithms reach on the levels: `python -m benchmarks.learners`, from a clone."""
