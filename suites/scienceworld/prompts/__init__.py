"""The suite's texts, in Markdown files beside this module."""

from evaluation.prompts import Variables

_SEEN = ("task", "look", "inventory", "hints", "step", "steps")

VARIABLES: Variables = {
    "system": (),
    "note_tools": (),
    "first_turn": ("actions", *_SEEN),
    "turn": ("told", *_SEEN),
    "hints_objects": ("listed",),
    "hints_actions": ("listed",),
    "episode_end": ("outcome", "score:.0f"),
}
"""By name of a text: the variables that it is filled with.

`note_tools` follows the system text if the model answers by tool calls. `task`: the simulator's description.
`actions`: the kinds of commands, a line for each. `told`: the answer to the last command, empty if that was
to look around or into the inventory. `look`, `inventory`: what is around and what is carried, in the
simulator's words. `hints`: one of the `hints_` texts, or nothing; `listed`: a line for each object or
command. `step`, `steps`: the next one, and how many there are. `score`: from 0 to 100.
"""
