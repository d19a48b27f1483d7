"""After which steps of an episode the model is shown a picture: the one place that says so."""

from collections.abc import Mapping, Sequence

from llm_control.choices import ArenaChoices


def opening_steps(choices: ArenaChoices) -> tuple[int, ...]:
    """After how many idle steps the pictures before the first reply are taken.

    There is one after each group of idle steps except the last, which passes unseen; with fewer than two
    groups there is a single picture, at the end of the idle steps.
    """
    groups = choices.initial_idle_steps
    return tuple(sum(groups[:number]) for number in range(1, len(groups))) or (sum(groups),)


def steps_along(choices: ArenaChoices, steps: int) -> tuple[int, ...]:
    """After which steps of a script of that length a picture is taken, its end left out."""
    if choices.image_every is not None:
        return tuple(range(choices.image_every, steps, choices.image_every))
    parts = choices.images_per_script
    along = {-(-steps * part // parts) for part in range(1, parts)} - {0, steps}
    return tuple(sorted(along))


def picture_turns(choices: ArenaChoices, turn_steps: Sequence[int]) -> Mapping[int, list[int]]:
    """By step of the episode: the turns (from 1) before whose reply its pictures are shown.

    `turn_steps` are the steps of each turn; what the last one led to is shown to nobody.
    """
    found: dict[int, list[int]] = {}
    for step in opening_steps(choices):
        found.setdefault(step, []).append(1)
    at = sum(choices.initial_idle_steps)
    for turn, taken in enumerate(turn_steps[:-1], start=2):
        for step in (*steps_along(choices, taken), taken):
            found.setdefault(at + step, []).append(turn)
        at += taken
    return found
