"""The front door: the `arena-llm` command line."""
