"""Physics of an arena: its things, table of parts, and bodies."""
