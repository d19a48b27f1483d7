"""The arena's texts, in Markdown files beside this module."""

from pathlib import Path

from evaluation.prompts import PromptSet, suite_prompts

_TURN = ("turn", "health:.1f", "scripts_left", "view")

VARIABLES: dict[str, tuple[str, ...]] = {
    "system": ("scripts", "image_size"),
    "first_turn": _TURN,
    "turn": (*_TURN, "reward:+z.2f"),
    "invalid_script": (*_TURN, "reward:+z.2f", "feedback"),
    "demonstration_intro": (),
    "demonstration_end": (),
    "episode_end": ("outcome", "total_reward:+z.2f"),
    "episode_next": ("number", "count"),
    "view_start": (),
    "view_end": (),
    "view_along": ("images",),
    "view_now": (),
    "view_words": ("description",),
    "note_words": (),
    "note_both": (),
    "note_along": (),
    "note_one_step": (),
    "note_tools": ("tools",),
    "note_loop": ("loop",),
    "note_memory": ("memory",),
    "note_no_thoughts": (),
    "note_short_thoughts": ("characters",),
    "note_grey": (),
    "note_unclear": (),
    "note_conversation": ("count",),
}
"""By name of a text: the variables that it is filled with.

`scripts`: maximum number of scripts in the episode. `image_size`: pixels a side of a picture. `turn`: number
of the turn, from 1. `health`: 0-100. `scripts_left`: scripts left, including the one that is asked for.
`reward`: that of the last script. `feedback`: why it is no script (`ScriptSyntaxError.feedback`). `outcome`:
why the episode ended. `total_reward`: the sum over the episode. `view`: what the pictures of the message are,
or the view in words, one of the `view_` texts. `number`, `count`: of the episode in its conversation.
`images`: number of pictures. `description`: what is in view. The `note_` texts follow the system text if the
choices call for them; `tools`, `loop`, `memory` and `characters` are such choices.
"""


def arena_prompts(system_file: Path | None = None) -> PromptSet:
    """All texts of a run in the arena; a file may replace the system prompt. Raises ConfigError."""
    return suite_prompts(__package__, VARIABLES, system_file)
