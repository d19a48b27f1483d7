"""The suite's texts, in Markdown files beside this module."""

from evaluation.prompts import Variables

VARIABLES: Variables = {
    "system": ("notes",),
    **dict.fromkeys(("note_pictures", "note_beliefs", "picture"), ()),
    "first_turn": ("story", "question", "doors", "experiments", "replies", "now"),
    "turn": ("said", "now"),
    "belief": ("said", "doors"),
    "act": ("number", "replies"),
    "last": ("number", "replies"),
    "invalid_reply": ("feedback", "now"),
    "episode_end": ("outcome", "right"),
    **dict.fromkeys(("machine", "instrument"), ("told",)),
    **dict.fromkeys(("friction", "mass"), ("told", "most")),
    "floor": ("told", "most", "first", "shut"),
    "lane_shut": ("lane",),
}
"""By name of a text: the variables that it is filled with.

`notes`: the texts `note_` that apply. `story`: the text of the family, such as `machine`; `question`: what is
asked for; `doors`: a line for each. `experiments`, `replies`: how many there may be, and `number` counts the
replies. `now`: `act`, or `last` if no experiment is left. `said`: what the last experiment has shown, or the
text `picture` where a picture shows it. `feedback`: what could not be carried out. `outcome`: which door was
opened; `right`: the right one. `told`: what may be hidden. `most`: how far something gets at most, metres.
`first`: a lane that can be taken; `shut`: the text `lane_shut` with the number of the `lane` that cannot.
"""
