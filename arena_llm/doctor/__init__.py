"""What is installed and whether it works; imports nothing that may be missing or broken."""

from arena_llm.doctor.checks import Check, State, run_checks

__all__ = ["Check", "State", "run_checks"]
