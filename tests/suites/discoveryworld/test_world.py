"""The package as one of several things in a process: silent, apart, reproducible."""

import hashlib
import inspect
import json
import os
import random
from itertools import product

import pytest

from arena.errors import EvaluationError
from suites.discoveryworld.catalogue import PAPER_SEEDS, kinds, seed_list
from suites.discoveryworld.names import Names
from suites.discoveryworld.simulator import World, calling, modules
from tests.command import printed_by
from tests.suites.discoveryworld.worlds import opened, text_of
from tests.suites.setups import needs_package

pytestmark = needs_package

SOME = ("proteomics-normal-3", "space-sick-easy-0", "space-sick-challenge-1", "plant-nutrients-normal-2")


def history(task_id, steps=25, between=lambda: None):
    """A hash of what some random actions show."""
    _, environment = opened(task_id, steps=steps + 1)
    rng, shown = random.Random(5), [text_of(environment.begin())]
    for _ in range(steps):
        between()
        shown.append(text_of(environment.reply(rng.choice(environment.known.commands))))
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def test_two_processes_show_the_same():
    code = f"from {__name__} import *\nprint([history(each) for each in SOME])"
    found = []
    for seed in ("1", "2"):
        # Another module before changes the addresses of all objects.
        more = "import decimal\n" if seed == "2" else ""
        found.append(printed_by(more + code, PYTHONHASHSEED=seed))
    assert found[0] == found[1] == f"{[history(each) for each in SOME]}\n"


def test_episodes_are_apart_and_leave_no_traces(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    display = os.environ.get("SDL_VIDEODRIVER")
    random.seed(3)
    state = random.getstate()
    other = opened("space-sick-normal-0")[1]
    other.begin()
    alone = history("proteomics-normal-3")
    assert history("proteomics-normal-3", between=lambda: other.reply("move(north)")) == alone
    assert random.getstate() == state
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []
    assert os.environ.get("SDL_VIDEODRIVER") == display


def test_trials_and_seeds_differ_in_ids():
    ids = [opened("proteomics-easy-0", trial)[1].begin().parts[0] for trial in (0, 0, 1)]
    assert ids[0] == ids[1] != ids[2]


def test_an_attempt_to_end_the_process_is_an_error():
    wrong = kinds()["proteomics-easy"]._replace(difficulty="Impossible")
    with pytest.raises(EvaluationError, match="there is no such world"):
        World(wrong, 0, random.Random(0))
    from discoveryworld.ScenarioMaker import ScenarioMaker

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScenarioMaker, "setupScenario", lambda *_: (False, "broken"))
        with pytest.raises(EvaluationError, match="wanted to end the process"):
            World(kinds()["proteomics-easy"], 0, random.Random(0))


def test_pictures_are_drawn_only_where_they_are_wanted():
    _, environment = opened("proteomics-easy-0", observation="both")
    picture, text = environment.begin().parts
    assert picture.shape == (512, 768, 3)
    assert picture.std() > 10
    assert '"near"' in text
    _, environment = opened("proteomics-easy-0", observation="image")
    assert '"near"' not in environment.begin().parts[1]


@pytest.mark.slow
def test_every_world_of_the_paper_loads_and_steps():
    for kind, seed in product(kinds().values(), seed_list(PAPER_SEEDS)):
        world = World(kind, seed, random.Random(seed))
        for way in ("north", "east", "south"):
            world.act({"action": "MOVE_DIRECTION", "arg1": way})
            assert world.look()["agentLocation"]


def test_ids_do_not_tell_where_things_are_in_other_seeds():
    worlds = [World(kinds()["proteomics-easy"], seed, random.Random(seed)) for seed in (0, 1)]
    theirs = [{each["uuid"] for each in world.look()["accessibleEnvironmentObjects"]} for world in worlds]
    assert theirs[0] & theirs[1]
    ours = [Names(random.Random(seed)).translated(world.look()) for seed, world in enumerate(worlds)]
    first, second = ({each["uuid"] for each in seen["accessibleEnvironmentObjects"]} for seen in ours)
    assert not first & second


def test_a_conversation_that_use_opens_is_shown():
    world = World(kinds()["reactor-lab-challenge"], 0, random.Random(0))
    world.act({"action": "TELEPORT_TO_LOCATION", "arg1": "reactor lab"})
    world.act({"action": "ROTATE_DIRECTION", "arg1": "north"})
    near = {each["name"]: each["uuid"] for each in world.look()["accessibleEnvironmentObjects"]}
    (reactor,) = (uuid for name, uuid in near.items() if "reactor" in name)
    assert world.act({"action": "USE", "arg1": reactor, "arg2": near["table"]})
    dialog = world.look()["dialog_box"]
    assert dialog["is_in_dialog"]
    assert "Exit" in dialog["dialogOptions"].values()


def test_kept_grids_and_first_obstacles_lead_along_the_package_s_own_paths():
    from pathfinding.core.grid import Grid

    world, rng = World(kinds()["space-sick-normal"], 0, random.Random(1)), random.Random(2)
    package, paths = world._api.world, modules()["Pathfinding"]
    find = inspect.getclosurevars(paths.Pathfinder.findPathNextStep).nonlocals["find"]
    found = []
    for _ in range(40):
        world.act({"action": "MOVE_DIRECTION", "arg1": rng.choice(["north", "east", "south", "west"])})
        ends = [rng.randrange(32) for _ in range(4)]
        with calling(rng):
            quick = paths.Pathfinder().findPathNextStep(package, *ends)
            kept, paths.Grid = paths.Grid, Grid
            try:
                assert quick == find(paths.Pathfinder(), package, *ends)
            finally:
                paths.Grid = kept
        found.append(quick[0])
    assert set(found) == {True, False}
