"""Scripts that solve a theme, as an upper reference: they know its rules, and measure the rest."""

from evaluation.suite import EpisodeSetup
from suites.discoveryworld.episode import Episode
from suites.discoveryworld.scripts.measuring import archaeology, proteomics, reactor_lab, rocket_science
from suites.discoveryworld.scripts.player import WAITING, Over, Player, Script, Stuck
from suites.discoveryworld.scripts.substances import chemistry, plant_nutrients, space_sick
from suites.discoveryworld.scripts.translation import translation

SCRIPTS: dict[str, Script] = {
    "proteomics": proteomics,
    "chemistry": chemistry,
    "archaeology": archaeology,
    "reactor-lab": reactor_lab,
    "plant-nutrients": plant_nutrients,
    "space-sick": space_sick,
    "rocket-science": rocket_science,
    "translation": translation,
}
"""By the names of their agents and of the themes."""


def played(name: str, setup: EpisodeSetup) -> Player:
    """A script that has played an episode of its own; the same setup gives the same `replies`.

    One that cannot go on says why in a last reply.
    A world in which something is not where a script expects it can also lead to errors of Python.
    """
    play = Player(Episode(setup._replace(draws=False)))
    try:
        SCRIPTS[name](play)
    except Over:
        pass
    except (Stuck, LookupError, ValueError, ArithmeticError) as error:
        play.replies.append(f"I am stuck: {error!r}\n{WAITING}")
    return play
