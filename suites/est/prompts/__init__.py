"""The suite's texts, in Markdown files beside this module."""

from evaluation.prompts import Variables

_TURN = ("step", "steps", "panel", "reward:+z.2f")

VARIABLES: Variables = {
    "system": ("rule", "blickets", "steps", "context"),
    "rule_est": (),
    "rule_conjunctive": (),
    "rule_noisy": (),
    "note_tools": (),
    "first_turn": ("objects", "steps", "panel"),
    "turn": _TURN,
    "invalid_reply": (*_TURN, "feedback"),
    "episode_end": ("outcome", "total_reward:+z.2f", "blickets"),
    "panel_context": ("number", "context"),
    "panel_trial": ("number",),
    "panel_words": ("on", "light"),
    "panel_picture": (),
}
"""By name of a text: the variables that it is filled with.

`rule`: when the machine lights up, one of the `rule_` texts; `note_tools` follows the system text if the
model answers by tool calls. `blickets`: their numbers, such as 3 to 8; in `episode_end` which ones they
were. `steps`, `context`: of an episode, and those of them that show a panel. `objects`: a line for each.
`panel`: what is on the machine, in words and pictures as chosen, made of the `panel_` texts. `reward`: of
the last step. `feedback`: what could not be used. `number`: of the panel or trial. `on`, `light`: the
objects on the machine, and lit or dark.
"""
