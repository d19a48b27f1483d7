"""Reports of runs and comparisons: pages, tables and figures."""
