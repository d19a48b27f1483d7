"""What the system text says about these choices beyond the paper's."""

from collections.abc import Iterator

from evaluation.prompts import PromptSet
from llm_control.choices import ArenaChoices

NO_LIMIT = "any number"
"""What a model is shown in the place of a number of scripts if there is no limit."""


def system_text(choices: ArenaChoices, prompts: PromptSet, tasks: int) -> str:
    """The system prompt, followed by a note on each choice that a model has to know.

    The controls (`vision`) are not mentioned. `tasks`: how many episodes the conversation has.
    """
    text = prompts["system"].fill(scripts=choices.max_scripts or NO_LIMIT, image_size=choices.image_size)
    if not prompts.layout.notes:
        return text
    notes = [*_observation_notes(choices, prompts), *_reply_notes(choices, prompts)]
    if choices.memory:
        notes.append(prompts["note_memory"].fill(memory=_memory(choices)))
    if choices.conversation == "run":
        notes.append(prompts["note_conversation"].fill(count=tasks))
    return "\n\n".join([text, "# In this run", *notes]) if notes else text


def _memory(choices: ArenaChoices) -> str:
    """How many of the last turns are sent again, as it stands before the word `turns`."""
    turns = "few" if choices.memory_turns is None else str(choices.memory_turns)
    limit = choices.memory_characters
    return turns if limit is None else f"{turns} (together at most {limit} characters)"


def _observation_notes(choices: ArenaChoices, prompts: PromptSet) -> Iterator[str]:
    if choices.observation == "text":
        yield prompts["note_words"].fill()
    if choices.observation == "both":
        yield prompts["note_both"].fill()
    if choices.images_per_script > 1 or choices.image_every is not None:
        yield prompts["note_along"].fill()
    if choices.grayscale:
        yield prompts["note_grey"].fill()
    if choices.blur_px or choices.resolution is not None:
        yield prompts["note_unclear"].fill()


def _reply_notes(choices: ArenaChoices, prompts: PromptSet) -> Iterator[str]:
    if choices.one_step:
        yield prompts["note_moves" if choices.commands == "moves" else "note_one_step"].fill()
    if choices.replies == "tools":
        yield prompts["note_tools"].fill(tools=", ".join(choices.tools))
    if choices.loop_turns is not None:
        yield prompts["note_loop"].fill(loop=choices.loop_turns)
    if choices.thought_chars == 0:
        yield prompts["note_no_thoughts"].fill()
    elif choices.thought_chars is not None:
        yield prompts["note_short_thoughts"].fill(characters=choices.thought_chars)
