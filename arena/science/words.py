"""The four families in words: hidden state, question, doors and observations."""

from collections.abc import Sequence
from itertools import pairwise
from string import Template

from arena.packages import data_of
from arena.science import families
from arena.science.families import Question


def _filled(name: str, **values: object) -> str:
    return Template(data_of("arena.science", "words.yaml")[name]).substitute(values)


def told(question: Question) -> str:
    """Describe the possible hidden states, identically in every condition."""
    match question:
        case families.MachineQuestion():
            return _machine(question)
        case families.SlopesQuestion():
            friction = question.hides == "friction"
            values = (families.FRICTIONS if friction else families.MASSES)[: question.levels]
            named = families.COLORS if friction else ("left", "second", "third", "fourth")
            listed, values_ = _numbered(named[: question.things]), ", ".join(map(str, values))
            return _filled(f"slopes_{question.hides}", things=question.things, listed=listed, values=values_)
        case families.InstrumentQuestion():
            return _instrument(question)
        case families.FloorQuestion():
            return _floor(question)


def _numbered(words: Sequence[str]) -> str:
    return ", ".join(f"{number} ({word})" for number, word in enumerate(words, start=1))


def _machine(question: families.MachineQuestion) -> str:
    first = f", exactly one of them among the first {question.candidates}" if question.asks == "which" else ""
    return _filled(
        "machine",
        things=question.things,
        listed=_numbered(families.COLORS[: question.things]),
        rule=_filled(f"rule_{'_'.join(question.rules)}"),
        noise=f" {_filled('noisy_lamp', share=f'{question.noise:.0%}')}" if question.noise else "",
        low=question.low,
        high=question.high,
        first=first,
    )


def _instrument(question: families.InstrumentQuestion) -> str:
    return _filled(
        "instrument",
        things=question.things,
        laws="\n".join(_filled(f"law_{law}") for law in question.laws),
        offsets=", ".join(map(str, families.OFFSETS)),
        slopes=", ".join(map(str, families.SLOPES)),
        noise=f" {_filled('noisy_meter', share=f'{question.noise:.0%}')}" if question.noise else "",
        odd=f" {_filled('odd_one', odd=families.ODD)}" if question.asks == "odd" else "",
    )


def _floor(question: families.FloorQuestion) -> str:
    half, odd = divmod(question.lanes, 2)
    return _filled(
        "floor",
        lanes=question.lanes,
        middle=f"lane {half + 1}" if odd else f"the gap between lanes {half} and {half + 1}",
        laws="\n".join(_filled(f"law_{kind.replace(' ', '_')}") for kind in question.kinds),
    )


def asked(question: Question) -> str:
    """Return the question's sentence."""
    of = f"_{question.hides}" if isinstance(question, families.SlopesQuestion) else ""
    facts = question.model_dump() | {"lane": getattr(question, "shut", 0) + 1}
    return _filled(f"ask_{question.asks}{of}", **facts)


def doors(question: Question) -> tuple[str, ...]:
    """Describe each door."""
    match question:
        case families.MachineQuestion(asks="which"):
            return tuple(f"thing {k + 1} ({families.COLORS[k]})" for k in range(question.candidates))
        case families.MachineQuestion(asks="rule"):
            names = {"any": "one that counts suffices", "two": "two are needed"}
            return tuple(names[rule] for rule in question.rules)
        case families.MachineQuestion():
            return tuple(f"{number} count" for number in range(question.low, question.high + 1))
        case families.SlopesQuestion():
            thing = "ramp" if question.hides == "friction" else "box"
            return tuple(f"{thing} {k + 1}" for k in range(question.things))
        case families.InstrumentQuestion(asks="odd"):
            return tuple(f"thing {k + 1}" for k in range(question.things))
        case families.InstrumentQuestion():
            bounds = question.bounds()
            between = (f"{low} to {high - 1}" for low, high in pairwise(bounds))
            return (f"less than {bounds[0]}", *between, f"{bounds[-1]} or more")
        case families.FloorQuestion(asks="kind"):
            return tuple(f"a {kind}" for kind in question.kinds)
    sides = sorted({question.side(law) for law in question.hypotheses()})
    return tuple(("to the left", "straight on", "to the right")[side] for side in sides)


def numbers_of(question: Question, experiment: int) -> tuple[int, ...]:
    """Return the numbers, from 1, of an experiment's things or lane."""
    if isinstance(question, families.MachineQuestion):
        return tuple(k + 1 for k in range(question.things) if experiment >> k & 1)
    if isinstance(question, families.FloorQuestion):
        return (question.open_lanes()[experiment] + 1,)
    return (experiment + 1,)


def seen(question: Question, experiment: int, outcome: int) -> str:
    """Describe an experiment's outcome."""
    numbers = numbers_of(question, experiment)
    match question:
        case families.MachineQuestion():
            on = ", ".join(f"{number} ({families.COLORS[number - 1]})" for number in numbers) or "nothing"
            return f"On the plate: {on}. The lamp is {'lit' if outcome else 'dark'}."
        case families.SlopesQuestion():
            thing = "On ramp" if question.hides == "friction" else "With box"
            return f"{thing} {numbers[0]}: {outcome} m."
        case families.InstrumentQuestion():
            return f"Thing {numbers[0]}: the meter shows {question.reading(outcome)}."
    metres = outcome - families.WIDEST_M
    where = "straight on" if not metres else f"{abs(metres)} m to the {'left' if metres < 0 else 'right'}"
    return f"From lane {numbers[0]}: {where}."
