"""Scripts that solve themes as an upper reference, by rules and measurement."""

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
"""Scripts by agent name, which is the theme's."""


def played(name: str, setup: EpisodeSetup) -> Player:
    """Play a script on a copy of the episode. Equal setups give equal `replies`. A stuck script explains why
    in its last reply. A world with unexpectedly placed things can also lead to errors of Python."""
    play = Player(Episode(setup._replace(draws=False)))
    try:
        SCRIPTS[name](play)
    except Over:
        pass
    except (Stuck, LookupError, ValueError, ArithmeticError) as error:
        play.replies.append(f"I am stuck: {error!r}\n{WAITING}")
    return play
