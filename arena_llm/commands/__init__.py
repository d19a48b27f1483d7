"""Commands of `arena-llm`, one module each."""
