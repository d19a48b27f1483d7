"""The arena's texts, in Markdown files beside this module."""

from pathlib import Path

from arena.errors import ConfigError
from evaluation.prompts import PromptFiles, PromptSet, suite_prompts, with_files
from llm_control.choices import ArenaChoices
from llm_control.paper import CONVERT, PAPER

_TURN = ("turn", "health:.1f", "scripts_left", "view", "pictures")
_FIRST = (*_TURN, "first_health:.1f", "picture")

VARIABLES: dict[str, tuple[str, ...]] = {
    "system": ("scripts", "image_size"),
    "first_turn": _FIRST,
    "laboratory": ("told", "pads", "experiments", "asked", "doors"),
    **dict.fromkeys(("pads_machine", "pads_instrument", "blocks_machine", "blocks_instrument"), ()),
    **dict.fromkeys(("pads_slopes", "blocks_slopes"), ("most",)),
    **dict.fromkeys(("pads_floor", "blocks_floor"), ("most", "shut")),
    "lane_shut": ("lane",),
    "note_beliefs": (),
    "belief": ("view", "doors", "pictures"),
    "turn": (*_TURN, "reward:+z.2f", "step_health:.1f"),
    "invalid_script": (*_TURN, "reward:+z.2f", "feedback"),
    **dict.fromkeys(("demonstration_intro", "demonstration_end"), ()),
    "episode_end": ("outcome", "total_reward:+z.2f"),
    "episode_next": ("number", "count"),
    **dict.fromkeys(("view_start", "view_end"), ()),
    "view_along": ("images",),
    "view_now": (),
    "view_words": ("description",),
    **dict.fromkeys(("note_words", "note_both", "note_along", "note_one_step", "note_moves"), ()),
    "note_tools": ("tools",),
    "note_loop": ("loop",),
    "note_memory": ("memory",),
    "note_no_thoughts": (),
    "note_short_thoughts": ("characters",),
    **dict.fromkeys(("note_grey", "note_unclear"), ()),
    "note_conversation": ("count",),
}
"""By name of a text: the variables that it is filled with.

`scripts`: maximum number of scripts in the episode. `image_size`: pixels a side of a picture. `turn`: number
of the turn, from 1. `health`: 0-100. `scripts_left`: scripts left, including the one that is asked for.
`reward`: that of the last script. `feedback`: why it is no script (`ScriptSyntaxError.feedback`). `outcome`:
why the episode ended. `total_reward`: the sum over the episode. `view`: what the pictures of the message are,
or the view in words, one of the `view_` texts. `number`, `count`: of the episode in its conversation.
`images`: number of pictures. `description`: what is in view. `laboratory` precedes the first turn of an arena
with a question: `told` is what may be hidden, `pads` the text on the experiments of its family (`blocks_` if
blocks are pushed onto pads, `pads_` if these are driven onto), `most` how far something gets at most, metres,
`shut` the text of the `lane` that has no ball, if there is one; `note_beliefs` follows it if the text
`belief` will ask for the probability of each of the `doors`. The other `note_` texts follow the system text
if the choices call for them; `tools`, `loop`, `memory` and `characters` are such choices.

The shipped texts do without these: `picture` is the next picture of the message and `pictures` are all the
others, each behind the text `picture`; without them, pictures come before the text. `first_health` is the
health when the first picture was taken, `step_health` that after the last step that a reply has taken, and
`first_health` before one.
"""

OPTIONAL: dict[str, tuple[str, ...]] = {
    "picture": (),
    "demonstration_title": (),
    "demonstration_first": _FIRST,
    **dict.fromkeys(("demonstration_user", "demonstration_assistant"), ()),
}
"""The same for texts that are empty unless a folder has them.

`picture` stands before each picture. The others lay out a demonstration inside one message: its title, its
first view in the place of `first_turn`, and what stands before each observation and each script.
"""


def arena_prompts(system_file: Path | None = None) -> PromptSet:
    """All texts of a run in the arena; a file may replace the system prompt. Raises ConfigError."""
    return with_files(suite_prompts(__package__, VARIABLES, OPTIONAL), PromptFiles(system_file))


def refuse(files: PromptFiles, choices: ArenaChoices) -> None:
    """Raise ConfigError if the choices need the paper's texts or demonstration and they are not given."""
    if choices.texts != "paper" or choices.acts:
        return
    if files.folder is None:
        raise ConfigError(
            f"this protocol uses the texts of {PAPER} (texts = paper), which are not shipped: {CONVERT}; "
            "then give --prompts DIR/experiments, or DIR/frame-by-frame for moves. --texts any uses "
            "arena-llm's own"
        )
    if choices.demonstration is True:
        raise ConfigError(
            f"this protocol uses the demonstration of {PAPER} (texts = paper), which is not shipped: "
            f"{CONVERT}; then give --demonstration DIR/experiments/demonstration.yaml. --texts any uses "
            "arena-llm's own"
        )
