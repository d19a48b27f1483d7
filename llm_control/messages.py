"""Messages to the model: filled prompts, notes on choices, and pictures."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from arena.science.families import COLORS, FARTHEST_M, WIDEST_M, FloorQuestion, Question, SlopesQuestion
from arena.science.words import asked, doors, told
from arena.taskfile.config import ArenaSpec
from evaluation.episode import after_text
from evaluation.prompts import PromptSet
from evaluation.suite import Frame, Message, Part
from llm_control.choices import ArenaChoices
from llm_control.demonstration import Demonstration, ShownTurn, chosen_demonstration
from llm_control.observations import View, degraded
from llm_control.play import TurnRecord

NO_LIMIT = "any number"
"""Prompt words for an unlimited number of scripts."""


def system_text(choices: ArenaChoices, prompts: PromptSet, tasks: int) -> str:
    """Compose the system prompt, with notes on choices relevant to a model. The controls (`vision`) are not
    mentioned. `tasks`: number of the conversation's episodes."""
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
    """Describe the turns kept in context, for use before the word `turns`."""
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


_NEXT, _OTHERS = "\ue000", "\ue001"
"""Placeholders of the next and other pictures while filling a text. Private use characters, which no text
has."""

_MARK = re.compile(f"([{_NEXT}{_OTHERS}])")


def opening(choices: ArenaChoices, prompts: PromptSet, tasks: int = 1) -> list[Message]:
    """Compose the messages before the first picture: system text and chosen demonstration.

    `tasks`: number of the conversation's episodes. Raises ConfigError for an unreadable demonstration file.
    """
    from inspect_ai.model import ChatMessageSystem

    messages: list[Message] = [ChatMessageSystem(content=system_text(choices, prompts, tasks))]
    if choices.demonstration:
        shown = chosen_demonstration(choices)
        inside = prompts.layout.demonstration == "inside"
        messages += (_inside if inside else _as_messages)(choices, prompts, shown)
    return messages


def first_parts(
    choices: ArenaChoices,
    prompts: PromptSet,
    health: float,
    view: View,
    first_health: float | None = None,
    name: str = "first_turn",
) -> tuple[Part, ...]:
    """Compose an episode's first view; `first_health` is the first picture's, if different."""
    shown = _described(prompts, view, prompts["view_start"].fill())
    then = health if first_health is None else first_health
    values = {"turn": 1, "first_health": then, "health": health, "scripts_left": _left(choices, 0)}
    text = prompts[name].fill(view=shown, picture=_NEXT, pictures=_OTHERS, **values)
    return _laid_out(text, view.frames, prompts["picture"].fill())


def laboratory(arena: ArenaSpec, prompts: PromptSet, beliefs: bool = False) -> str:
    """Describe an arena's question, experiments and requested beliefs; empty without a question."""
    question = arena.question
    if question is None:
        return ""
    values: dict[str, object] = {}
    if isinstance(question, SlopesQuestion):
        values = {"most": FARTHEST_M}
    if isinstance(question, FloorQuestion):
        shut = f" {prompts['lane_shut'].fill(lane=question.shut + 1)}" if question.asks == "side" else ""
        values = {"most": WIDEST_M, "shut": shut}
    text = prompts["laboratory"].fill(
        told=told(question),
        pads=prompts[f"{'blocks' if arena.has_blocks else 'pads'}_{question.family}"].fill(**values),
        experiments=question.experiments,
        asked=asked(question),
        doors="\n".join(f"- {door}" for door in _doors(question)),
    )
    return f"{text}\n\n{prompts['note_beliefs'].fill()}" if beliefs else text


def _doors(question: Question) -> list[str]:
    """List colour and meaning of each door."""
    return [f"{COLORS[k]}: {name}" for k, name in enumerate(doors(question))]


def belief_parts(prompts: PromptSet, view: View, question: Question) -> tuple[Part, ...]:
    """Compose the view after an experiment, and the question about the doors."""
    shown = _described(prompts, view, _taken(prompts, view))
    text = prompts["belief"].fill(view=shown, doors="; ".join(_doors(question)), pictures=_OTHERS)
    return _laid_out(text, view.frames, prompts["picture"].fill())


def turn_parts(
    choices: ArenaChoices,
    prompts: PromptSet,
    turn: TurnRecord | ShownTurn,
    view: View,
    step_health: float | None = None,
) -> tuple[Part, ...]:
    """Compose a reply's result and the view after it; `step_health` is after the last step, if different."""
    values = {
        "turn": turn.turn + 1,
        "health": turn.health,
        "scripts_left": _left(choices, turn.turn),
        "reward": turn.reward,
        "pictures": _OTHERS,
    }
    if turn.error is not None:
        shown = _described(prompts, view, prompts["view_now"].fill())
        text = prompts["invalid_script"].fill(feedback=turn.error, view=shown, **values)
    else:
        values["step_health"] = turn.health if step_health is None else step_health
        text = prompts["turn"].fill(view=_described(prompts, view, _taken(prompts, view)), **values)
    return _laid_out(text, view.frames, prompts["picture"].fill())


def _taken(prompts: PromptSet, view: View) -> str:
    """Describe the pictures of a script."""
    images = len(view.frames)
    return prompts["view_along"].fill(images=images) if images > 1 else prompts["view_end"].fill()


def _left(choices: ArenaChoices, used: int) -> int | str:
    return NO_LIMIT if choices.max_scripts is None else max(choices.max_scripts - used, 0)


def _described(prompts: PromptSet, view: View, pictures: str) -> str:
    """Describe the message's pictures, and any view in words."""
    words = prompts["view_words"].fill(description=view.words) if view.words is not None else ""
    return "\n\n".join(filter(None, (pictures if view.frames else "", words)))


def _laid_out(text: str, frames: Sequence[Frame], label: str) -> tuple[Part, ...]:
    """Put pictures at a text's marks, or first if it has none."""
    if not _MARK.search(text):
        return (*frames, text)
    left = list(frames)
    parts: list[Part] = []
    for piece in _MARK.split(text):
        if piece == _NEXT:
            parts += [left.pop(0)] if left else []
        elif piece == _OTHERS:
            parts += [part for frame in left for part in (label, frame)]
            left = []
        else:
            parts.append(piece)
    return tuple(_merged([*parts, *left]))


def _merged(parts: Iterable[Part]) -> Iterator[Part]:
    """Merge neighbouring texts and drop empty ones."""
    for is_text, several in groupby(parts, lambda part: isinstance(part, str)):
        if not is_text:
            yield from several
        elif whole := "".join(map(str, several)):
            yield whole


def _as_messages(choices: ArenaChoices, prompts: PromptSet, shown: Demonstration) -> Iterator[Message]:
    """Convert a demonstration to messages like the episode's own."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    from evaluation.inspect_task.dialogue import content

    begun = _view(choices, shown.first_pictures)
    parts = first_parts(choices, prompts, shown.health, begun, shown.first_health)
    intro = prompts["demonstration_intro"].fill()
    yield ChatMessageUser(content=list(content(after_text(intro, parts), choices)))
    for turn, pictures in shown.exchanges():
        yield ChatMessageAssistant(content=turn.reply)
        if pictures:
            parts = turn_parts(choices, prompts, turn, _view(choices, pictures))
            yield ChatMessageUser(content=list(content(parts, choices)))
    end = prompts["episode_end"].fill(outcome=shown.outcome, total_reward=shown.total_reward)
    yield ChatMessageUser(content=f"{end}\n\n{prompts['demonstration_end'].fill()}")


def _inside(choices: ArenaChoices, prompts: PromptSet, shown: Demonstration) -> Iterator[Message]:
    """Put a demonstration inside one user message, with a text per turn."""
    from inspect_ai.model import ChatMessageUser

    from evaluation.inspect_task.dialogue import content

    user, assistant = (prompts[f"demonstration_{role}"].fill() for role in ("user", "assistant"))
    name = "demonstration_first" if prompts["demonstration_first"].text else "first_turn"
    begun = _view(choices, shown.first_pictures)
    first = first_parts(choices, prompts, shown.health, begun, shown.first_health, name)
    groups: list[list[Part]] = [
        [prompts["demonstration_intro"].fill()],
        [prompts["demonstration_title"].fill()],
        [user, *first],
    ]
    for turn, pictures in shown.exchanges():
        groups.append([assistant, turn.reply])
        if pictures:
            groups.append([user, *turn_parts(choices, prompts, turn, _view(choices, pictures))])
    groups[-1].append(prompts["demonstration_end"].fill())
    parts = [part for group in groups for part in _merged(group)]
    yield ChatMessageUser(content=list(content(parts, choices)))


def _view(choices: ArenaChoices, pictures: Sequence[Frame | bytes]) -> View:
    """Prepare a demonstration's pictures: frames as chosen, image files unchanged."""
    frames = (p if isinstance(p, bytes) else degraded(p, choices) for p in pictures)
    return View(tuple(frames), None)  # type: ignore[arg-type]
