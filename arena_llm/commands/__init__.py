"""The commands of `arena-llm`, one module each."""
