"""The suite's texts, in Markdown files beside this module."""

from evaluation.prompts import Variables

VARIABLES: Variables = {
    "system": ("actions", "seen"),
    "seen_text": (),
    "seen_image": (),
    "seen_both": (),
    "note_tools": (),
    "first_turn": ("task", "places", "seen", "step", "steps"),
    "turn": ("task", "places", "seen", "step", "steps"),
    "invalid_reply": ("feedback", "task", "places", "seen", "step", "steps"),
    "episode_end": ("outcome", "score:.0f"),
    "judge": ("question", "notes"),
}
"""By name of a text: the variables that it is filled with.

`note_tools` follows the system text if the model answers by tool calls. `actions`: a line for each action.
`seen` of the system text: one of the `seen_` texts, by the choice `observation`; elsewhere: what the agent
sees, as JSON. `task`: the package's description; `places`: where one can teleport to, or nothing; after the
first turn both are empty if the model is sent all turns. `step`, `steps`: the next one, and how many there
are. `feedback`: why a reply could not be used. `score`: from 0 to 100. `judge` asks a second model
`question`, one of the package's critical questions, about `notes`, the agent's own.
"""
