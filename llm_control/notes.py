"""What the system text says about this protocol beyond the paper's."""

from collections.abc import Iterator

from llm_control.choices import Protocol
from llm_control.prompts import PromptSet

NO_LIMIT = "any number"
"""What a model is told in the place of a number of scripts where there is no limit."""


def system_text(protocol: Protocol, prompts: PromptSet, tasks: int) -> str:
    """The system prompt, followed by a note on each choice that a model has to know.

    The controls (`vision`) are not told. `tasks`: how many episodes the conversation has.
    """
    text = prompts.system.fill(scripts=protocol.max_scripts or NO_LIMIT)
    notes = [*_observation_notes(protocol, prompts), *_reply_notes(protocol, prompts)]
    if protocol.memory_turns is not None:
        notes.append(prompts.note_memory.fill(memory=protocol.memory_turns))
    if protocol.conversation == "run":
        notes.append(prompts.note_conversation.fill(count=tasks))
    return "\n\n".join([text, "# In this run", *notes]) if notes else text


def _observation_notes(protocol: Protocol, prompts: PromptSet) -> Iterator[str]:
    if protocol.observation == "text":
        yield prompts.note_words.fill()
    if protocol.observation == "both":
        yield prompts.note_both.fill()
    if protocol.images_per_script > 1 or protocol.image_every is not None:
        yield prompts.note_along.fill()
    if protocol.grayscale:
        yield prompts.note_grey.fill()
    if protocol.blur_px or protocol.resolution is not None:
        yield prompts.note_unclear.fill()


def _reply_notes(protocol: Protocol, prompts: PromptSet) -> Iterator[str]:
    if protocol.one_step:
        yield prompts.note_one_step.fill()
    if protocol.replies == "tools":
        yield prompts.note_tools.fill(tools=", ".join(protocol.tools))
    if protocol.loop_turns is not None:
        yield prompts.note_loop.fill(loop=protocol.loop_turns)
    if protocol.thought_chars == 0:
        yield prompts.note_no_thoughts.fill()
    elif protocol.thought_chars is not None:
        yield prompts.note_short_thoughts.fill(characters=protocol.thought_chars)
