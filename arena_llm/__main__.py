"""`python -m arena_llm` is the `arena-llm` command."""

from arena_llm.cli import main

main()
