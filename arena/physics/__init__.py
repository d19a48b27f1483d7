"""The physics of an arena: its things, the table of their parts, and its bodies."""
