"""A second renderer, on pyrender; it shares no drawing code with the first."""
