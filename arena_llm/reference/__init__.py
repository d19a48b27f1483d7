"""The parts of the documentation that are made from the code: `python -m arena_llm.reference`."""
