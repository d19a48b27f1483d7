"""The script language in which a model drives the agent: `Think('...'); Go(12); Turn(-90);`."""

from evaluation.script.errors import ScriptSyntaxError
from evaluation.script.repairs import Place, Repair, RepairKind
from llm_control.script.commands import DEGREES_PER_STEP, LARGEST_AMOUNT, Command, Go, Script, Think, Turn
from llm_control.script.parser import parse

__all__ = [
    "DEGREES_PER_STEP",
    "LARGEST_AMOUNT",
    "Command",
    "Go",
    "Place",
    "Repair",
    "RepairKind",
    "Script",
    "ScriptSyntaxError",
    "Think",
    "Turn",
    "parse",
]
