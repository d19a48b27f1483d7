"""Command line `arena-llm`."""
