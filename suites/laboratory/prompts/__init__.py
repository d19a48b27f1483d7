"""The suite's texts, in Markdown files beside this module."""

from evaluation.prompts import Variables

VARIABLES: Variables = {
    "system": ("beliefs",),
    "note_beliefs": (),
    "first_turn": ("story", "question", "doors", "experiments", "replies", "now"),
    "turn": ("said", "now"),
    "belief": ("said", "doors"),
    "act": ("number", "replies"),
    "last": ("number", "replies"),
    "invalid_reply": ("feedback", "now"),
    "episode_end": ("outcome", "right"),
    "machine": ("told",),
    "noisy_meter": ("share",),
    **dict.fromkeys(("slopes_friction", "slopes_mass"), ("things", "listed", "values", "most")),
    "instrument": ("things", "laws", "offsets", "slopes", "noise", "odd"),
    **dict.fromkeys(("law_line", "law_square", "law_threshold"), ()),
    "odd_one": ("odd",),
    "floor": ("lanes", "middle", "laws", "most", "first", "shut"),
    **dict.fromkeys(("law_wind", "law_whirl", "law_post", "law_near_post"), ()),
    "lane_shut": ("lane",),
    **dict.fromkeys(("ask_farthest_friction", "ask_farthest_mass", "ask_odd", "ask_kind"), ()),
    **dict.fromkeys(("ask_nearest_friction", "ask_nearest_mass"), ()),
    "ask_large": ("large",),
    "ask_side": ("lane",),
}
"""By name of a text: the variables that it is filled with.

`beliefs`: the text `note_beliefs` if beliefs are asked for. `story`: the text of the family, such as
`machine`; `question`: one of the `ask_` texts; `doors`: a line for each. `experiments`, `replies`: how many
there may be, and `number` counts the replies. `now`: `act`, or `last` if no experiment is left. `said`: what
the last experiment has shown. `feedback`: what could not be carried out. `outcome`: which door was opened;
`right`: the right one. `told`: what may be hidden. All others are facts of the task, named as in
`arena.science.families`.
"""
