"""The report of a comparison: figures, tables and a page."""
