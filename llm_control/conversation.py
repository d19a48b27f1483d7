"""The messages that a model is sent: prompts filled, pictures attached."""

import base64
from collections.abc import Sequence

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
)

from llm_control.choices import Protocol
from llm_control.demonstration import demonstration
from llm_control.notes import NO_LIMIT, system_text
from llm_control.observations import View, degraded
from llm_control.play import Turn
from llm_control.prompts import PromptSet
from render import Frame, png

Parts = list[ContentText | ContentImage]
"""What a message of ours is made of."""


def opening(protocol: Protocol, prompts: PromptSet, tasks: int = 1) -> list[ChatMessage]:
    """What comes before the first picture: the system text and, where asked for, the demonstration.

    `tasks`: how many episodes the conversation has.
    """
    messages: list[ChatMessage] = [ChatMessageSystem(content=system_text(protocol, prompts, tasks))]
    if protocol.demonstration:
        messages += _demonstration(protocol, prompts)
    return messages


def first_content(
    protocol: Protocol, prompts: PromptSet, health: float, view: View, before: str = ""
) -> Parts:
    """The first view of an episode, after whatever text precedes it."""
    told = _told(prompts, view, prompts.view_start.fill())
    text = prompts.first_turn.fill(turn=1, health=health, scripts_left=_left(protocol, 0), view=told)
    return _content(f"{before}\n\n{text}".strip(), view.frames)


def turn_content(protocol: Protocol, prompts: PromptSet, turn: Turn, view: View) -> Parts:
    """What came of a reply, and the view after it."""
    values = {
        "turn": turn.turn + 1,
        "health": turn.health,
        "scripts_left": _left(protocol, turn.turn),
        "reward": turn.reward,
    }
    if turn.error is not None:
        told = _told(prompts, view, prompts.view_now.fill())
        text = prompts.invalid_script.fill(feedback=turn.error, view=told, **values)
    else:
        several = len(view.frames) > 1
        taken = prompts.view_along.fill(images=len(view.frames)) if several else prompts.view_end.fill()
        text = prompts.turn.fill(view=_told(prompts, view, taken), **values)
    return _content(text, view.frames)


def _left(protocol: Protocol, used: int) -> int | str:
    return NO_LIMIT if protocol.max_scripts is None else protocol.max_scripts - used


def _told(prompts: PromptSet, view: View, pictures: str) -> str:
    """What the message says about its pictures, and the view in words where there are some."""
    words = prompts.view_words.fill(description=view.words) if view.words is not None else ""
    return "\n\n".join(filter(None, (pictures if view.frames else "", words)))


def _demonstration(protocol: Protocol, prompts: PromptSet) -> list[ChatMessage]:
    shown = demonstration(protocol.image_size)
    intro = prompts.demonstration_intro.fill()
    first = View(tuple(degraded(frame, protocol) for frame in shown.first_frames), None)
    messages: list[ChatMessage] = [
        ChatMessageUser(content=list(first_content(protocol, prompts, shown.first_health, first, intro)))
    ]
    for turn, frame in shown.exchanges():
        messages.append(ChatMessageAssistant(content=turn.reply))
        if frame is not None:
            view = View((degraded(frame, protocol),), None)
            messages.append(ChatMessageUser(content=list(turn_content(protocol, prompts, turn, view))))
    end = prompts.episode_end.fill(outcome=shown.turns[-1].outcome, total_reward=shown.total_reward)
    messages.append(ChatMessageUser(content=f"{end}\n\n{prompts.demonstration_end.fill()}"))
    return messages


def _content(text: str, frames: Sequence[Frame]) -> Parts:
    content: Parts = [ContentImage(image=data_uri(frame)) for frame in frames]
    return [*content, ContentText(text=text)]


def data_uri(frame: Frame) -> str:
    """A frame as it is put into a message."""
    return "data:image/png;base64," + base64.b64encode(png(frame)).decode()
