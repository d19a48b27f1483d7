"""Recorded episodes replayed from their actions, and every logged value compared with the replay's."""

from arena_llm.verify.episode import verify
from arena_llm.verify.found import Source, find_sources
from arena_llm.verify.report import Checked, Finding, Verdict

__all__ = ["Checked", "Finding", "Source", "Verdict", "find_sources", "verify"]
