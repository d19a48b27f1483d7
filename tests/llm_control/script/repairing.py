"""What repairs are for: making them in a reply gives a reply in the strict language."""

from llm_control.script import Repair


def repaired(reply: str, repairs: tuple[Repair, ...]) -> str:
    """The reply with all repairs made in it, the last one first so that positions stay right."""
    for repair in reversed(repairs):
        end = repair.position + len(repair.original)
        assert reply[repair.position : end] == repair.original
        reply = reply[: repair.position] + repair.became + reply[end:]
    return reply
