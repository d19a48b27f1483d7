"""The four families in words: what is told of a question, of its experiments and of its doors."""

from collections.abc import Sequence
from itertools import pairwise

from arena.science.families import (
    COLORS,
    FARTHEST_M,
    FRICTIONS,
    MASSES,
    ODD,
    OFFSETS,
    SLOPES,
    WIDEST_M,
    FloorQuestion,
    InstrumentQuestion,
    MachineQuestion,
    Question,
    SlopesQuestion,
)
from evaluation.prompts import PromptSet


def story(question: Question, prompts: PromptSet) -> str:
    """What may be hidden, and how an experiment works."""
    match question:
        case MachineQuestion():
            values: dict[str, object] = {"told": question.told}
        case SlopesQuestion():
            values = _slopes(question)
        case InstrumentQuestion():
            values = _instrument(question, prompts)
        case FloorQuestion():
            values = _floor(question, prompts)
    name = f"slopes_{question.hides}" if isinstance(question, SlopesQuestion) else question.family
    return prompts[name].fill(**values)


def _numbered(words: Sequence[str]) -> str:
    return ", ".join(f"{number} ({word})" for number, word in enumerate(words, start=1))


def _slopes(question: SlopesQuestion) -> dict[str, object]:
    friction = question.hides == "friction"
    values = (FRICTIONS if friction else MASSES)[: question.levels]
    named = COLORS if friction else ("left", "second", "third", "fourth")
    return {
        "things": question.things,
        "listed": _numbered(named[: question.things]),
        "values": ", ".join(map(str, values)),
        "most": FARTHEST_M,
    }


def _instrument(question: InstrumentQuestion, prompts: PromptSet) -> dict[str, object]:
    return {
        "things": question.things,
        "laws": "\n".join(prompts[f"law_{law}"].fill() for law in question.laws),
        "offsets": ", ".join(map(str, OFFSETS)),
        "slopes": ", ".join(map(str, SLOPES)),
        "noise": f" {prompts['noisy_meter'].fill(share=f'{question.noise:.0%}')}" if question.noise else "",
        "odd": f" {prompts['odd_one'].fill(odd=ODD)}" if question.asks == "odd" else "",
    }


def _floor(question: FloorQuestion, prompts: PromptSet) -> dict[str, object]:
    half, even = divmod(question.lanes, 2)[0], question.lanes % 2 == 0
    shut = question.asks == "side"
    return {
        "lanes": question.lanes,
        "middle": f"the gap between lanes {half} and {half + 1}" if even else f"lane {half + 1}",
        "laws": "\n".join(prompts[f"law_{kind.replace(' ', '_')}"].fill() for kind in question.kinds),
        "most": WIDEST_M,
        "first": question.open_lanes()[0] + 1,
        "shut": f" {prompts['lane_shut'].fill(lane=question.shut + 1)}" if shut else "",
    }


def asked(question: Question, prompts: PromptSet) -> str:
    """The sentence of what is asked for."""
    if isinstance(question, MachineQuestion):
        return question.asked
    of = f"_{question.hides}" if isinstance(question, SlopesQuestion) else ""
    prompt = prompts[f"ask_{question.asks}{of}"]
    facts = question.model_dump() | {"lane": getattr(question, "shut", 0) + 1}
    return prompt.fill(**{name: facts[name] for name in prompt.names})


def doors(question: Question) -> tuple[str, ...]:
    """What each door stands for."""
    match question:
        case MachineQuestion():
            return question.door_names
        case SlopesQuestion():
            thing = "ramp" if question.hides == "friction" else "box"
            return tuple(f"{thing} {k + 1}" for k in range(question.things))
        case InstrumentQuestion(asks="odd"):
            return tuple(f"thing {k + 1}" for k in range(question.things))
        case InstrumentQuestion():
            bounds = question.bounds()
            between = (f"{low} to {high - 1}" for low, high in pairwise(bounds))
            return (f"less than {bounds[0]}", *between, f"{bounds[-1]} or more")
        case FloorQuestion(asks="kind"):
            return tuple(f"a {kind}" for kind in question.kinds)
    sides = sorted({question.side(law) for law in question.hypotheses()})
    return tuple(("to the left", "straight on", "to the right")[side] for side in sides)


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


def numbers_of(question: Question, experiment: int) -> tuple[int, ...]:
    """The numbers, from 1, by which a command names an experiment."""
    if isinstance(question, MachineQuestion):
        return tuple(k + 1 for k in range(question.things) if experiment >> k & 1)
    if isinstance(question, FloorQuestion):
        return (question.open_lanes()[experiment] + 1,)
    return (experiment + 1,)


def told(question: Question, experiment: int, outcome: int) -> str:
    """What an experiment has shown."""
    numbers = numbers_of(question, experiment)
    match question:
        case MachineQuestion():
            on = ", ".join(f"{number} ({COLORS[number - 1]})" for number in numbers) or "nothing"
            return f"On the plate: {on}. The lamp is {'lit' if outcome else 'dark'}."
        case SlopesQuestion():
            thing = "On ramp" if question.hides == "friction" else "With box"
            return f"{thing} {numbers[0]}: {outcome} m."
        case InstrumentQuestion():
            return f"Thing {numbers[0]}: the meter shows {question.reading(outcome)}."
    metres = outcome - WIDEST_M
    where = "straight on" if not metres else f"{abs(metres)} m to the {'left' if metres < 0 else 'right'}"
    return f"From lane {numbers[0]}: {where}."
