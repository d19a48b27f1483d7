"""What is installed and whether it works; imports nothing that may be missing or broken."""

from arena_llm.doctor.checks import Check, State, examine
from arena_llm.doctor.report import print_checks, write_checks

__all__ = ["Check", "State", "examine", "print_checks", "write_checks"]
