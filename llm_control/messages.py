"""The messages that a model is sent: prompts filled, pictures attached."""

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

from evaluation.inspect_task.session import content
from evaluation.prompts import PromptSet
from evaluation.suite import Part
from llm_control.choices import ArenaChoices
from llm_control.demonstration import demonstration
from llm_control.notes import NO_LIMIT, system_text
from llm_control.observations import View, degraded
from llm_control.play import TurnRecord


def opening(choices: ArenaChoices, prompts: PromptSet, tasks: int = 1) -> list[ChatMessage]:
    """What comes before the first picture: the system text and, if chosen, the demonstration.

    `tasks`: how many episodes the conversation has.
    """
    messages: list[ChatMessage] = [ChatMessageSystem(content=system_text(choices, prompts, tasks))]
    if choices.demonstration:
        messages += _demonstration(choices, prompts)
    return messages


def first_parts(choices: ArenaChoices, prompts: PromptSet, health: float, view: View) -> tuple[Part, ...]:
    """The first view of an episode."""
    shown = _described(prompts, view, prompts["view_start"].fill())
    text = prompts["first_turn"].fill(turn=1, health=health, scripts_left=_left(choices, 0), view=shown)
    return (*view.frames, text)


def turn_parts(choices: ArenaChoices, prompts: PromptSet, turn: TurnRecord, view: View) -> tuple[Part, ...]:
    """What came of a reply, and the view after it."""
    values = {
        "turn": turn.turn + 1,
        "health": turn.health,
        "scripts_left": _left(choices, turn.turn),
        "reward": turn.reward,
    }
    if turn.error is not None:
        shown = _described(prompts, view, prompts["view_now"].fill())
        text = prompts["invalid_script"].fill(feedback=turn.error, view=shown, **values)
    else:
        several = len(view.frames) > 1
        taken = prompts["view_along"].fill(images=len(view.frames)) if several else prompts["view_end"].fill()
        text = prompts["turn"].fill(view=_described(prompts, view, taken), **values)
    return (*view.frames, text)


def _left(choices: ArenaChoices, used: int) -> int | str:
    return NO_LIMIT if choices.max_scripts is None else choices.max_scripts - used


def _described(prompts: PromptSet, view: View, pictures: str) -> str:
    """What the message says about its pictures, and the view in words if it has them."""
    words = prompts["view_words"].fill(description=view.words) if view.words is not None else ""
    return "\n\n".join(filter(None, (pictures if view.frames else "", words)))


def _demonstration(choices: ArenaChoices, prompts: PromptSet) -> list[ChatMessage]:
    shown = demonstration(choices.image_size)
    first = View(tuple(degraded(frame, choices) for frame in shown.first_frames), None)
    parts = first_parts(choices, prompts, shown.first_health, first)
    intro = prompts["demonstration_intro"].fill()
    messages: list[ChatMessage] = [ChatMessageUser(content=list(content(parts, intro)))]
    for turn, frame in shown.exchanges():
        messages.append(ChatMessageAssistant(content=turn.reply))
        if frame is not None:
            view = View((degraded(frame, choices),), None)
            messages.append(ChatMessageUser(content=list(content(turn_parts(choices, prompts, turn, view)))))
    end = prompts["episode_end"].fill(outcome=shown.turns[-1].outcome, total_reward=shown.total_reward)
    messages.append(ChatMessageUser(content=f"{end}\n\n{prompts['demonstration_end'].fill()}"))
    return messages
