"""How experiments are named in replies, and the texts of a task."""

from collections.abc import Sequence

from arena.science.families import (
    FARTHEST_M,
    WIDEST_M,
    FloorQuestion,
    MachineQuestion,
    Question,
    SlopesQuestion,
)
from arena.science.words import doors, told
from evaluation.prompts import PromptSet


def story(question: Question, prompts: PromptSet) -> str:
    """What may be hidden, and how an experiment works."""
    values: dict[str, object] = {"told": told(question)}
    name: str = question.family
    if isinstance(question, SlopesQuestion):
        name, values["most"] = question.hides, FARTHEST_M
    if isinstance(question, FloorQuestion):
        shut = f" {prompts['lane_shut'].fill(lane=question.shut + 1)}" if question.asks == "side" else ""
        values |= {"most": WIDEST_M, "first": question.open_lanes()[0] + 1, "shut": shut}
    return prompts[name].fill(**values)


def listed_doors(question: Question) -> str:
    """A line for each door."""
    return "\n".join(f"Door {number}: {door}" for number, door in enumerate(doors(question), start=1))


def experiment_of(question: Question, numbers: Sequence[float]) -> int | str:
    """The experiment that a command names by numbers from 1, or what is wrong with them."""
    chosen = [int(number) - 1 for number in numbers]
    if isinstance(question, MachineQuestion):
        if all(0 <= k < question.things for k in chosen):
            return sum(1 << k for k in chosen)
        return f"The things have the numbers 1 to {question.things}."
    possible = question.open_lanes() if isinstance(question, FloorQuestion) else tuple(range(question.things))
    if len(chosen) == 1 and chosen[0] in possible:
        return possible.index(chosen[0])
    return f"Try one of: {', '.join(str(k + 1) for k in possible)}."
