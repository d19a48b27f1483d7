"""The messages that a model is sent: prompts filled, pictures attached."""

import base64
from collections.abc import Sequence

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
)

from llm_control.demonstration import demonstration
from llm_control.play import Turn
from llm_control.prompts import PromptSet
from llm_control.protocol import Protocol
from render import Frame, png


def opening(protocol: Protocol, prompts: PromptSet) -> list[ChatMessage]:
    """What comes before the first picture: the system text and, where asked for, the demonstration."""
    messages: list[ChatMessage] = [
        ChatMessageSystem(content=prompts.system.fill(scripts=protocol.max_scripts))
    ]
    if protocol.demonstration:
        messages += _demonstration(protocol, prompts)
    return messages


def first_message(
    protocol: Protocol, prompts: PromptSet, health: float, frames: Sequence[Frame], before: str = ""
) -> ChatMessageUser:
    """The first pictures of an episode, after whatever text precedes them."""
    text = prompts.first_turn.fill(turn=1, health=health, scripts_left=protocol.max_scripts)
    return _message(f"{before}\n\n{text}".strip(), frames)


def turn_message(protocol: Protocol, prompts: PromptSet, turn: Turn, frame: Frame) -> ChatMessageUser:
    """What came of a reply, and the picture after it."""
    values = {
        "turn": turn.turn + 1,
        "health": turn.health,
        "scripts_left": protocol.max_scripts - turn.turn,
        "reward": turn.reward,
    }
    if turn.error is not None:
        return _message(prompts.invalid_script.fill(feedback=turn.error, **values), [frame])
    return _message(prompts.turn.fill(**values), [frame])


def _demonstration(protocol: Protocol, prompts: PromptSet) -> list[ChatMessage]:
    shown = demonstration(protocol.image_size)
    intro = prompts.demonstration_intro.fill()
    messages: list[ChatMessage] = [
        first_message(protocol, prompts, shown.first_health, shown.first_frames, intro)
    ]
    for turn, frame in shown.exchanges():
        messages.append(ChatMessageAssistant(content=turn.reply))
        if frame is not None:
            messages.append(turn_message(protocol, prompts, turn, frame))
    end = prompts.episode_end.fill(outcome=shown.turns[-1].outcome, total_reward=shown.total_reward)
    messages.append(ChatMessageUser(content=f"{end}\n\n{prompts.demonstration_end.fill()}"))
    return messages


def _message(text: str, frames: Sequence[Frame]) -> ChatMessageUser:
    content: list[Content] = [ContentImage(image=_data_uri(frame)) for frame in frames]
    return ChatMessageUser(content=[*content, ContentText(text=text)])


def _data_uri(frame: Frame) -> str:
    return "data:image/png;base64," + base64.b64encode(png(frame)).decode()
