"""The scripts: upper references that play by the actions of any agent."""

import asyncio

import pytest

from evaluation.current import CURRENT, CurrentEpisode
from evaluation.suite import AgentTurn
from suites.discoveryworld.catalogue import selected
from suites.discoveryworld.suite import SUITE
from tests.suites.discoveryworld.worlds import needs_package, opened, played

SCRIPTS = SUITE.agents[1:]

pytestmark = needs_package


@pytest.mark.parametrize("world", ["proteomics-easy-4", "plant-nutrients-easy-0"])
def test_a_script_solves_its_worlds(world):
    check_solved(world.rpartition("-")[0].rpartition("-")[0], world)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "kind"), [(name, kind.name) for name in SCRIPTS for kind in selected(name)]
)
def test_every_script_solves_the_worlds_of_the_paper(script, kind):
    for seed in range(5):
        check_solved(script, f"{kind}-{seed}")


def check_solved(script, world):
    record, _ = played(script, world)
    assert (record.score, record.passed, record.outcome) == (1.0, True, "solved")
    assert record.metrics["completion"] == record.metrics["procedure"] == 1
    assert record.metrics["total_reward"] == pytest.approx(sum(turn["reward"] for turn in record.turns))
    assert (record.metrics["unusable_replies"], record.metrics["failed_actions"]) == (0, 0)
    assert any(turn["thoughts"] for turn in record.turns)


def test_a_script_goes_on_where_a_resumed_episode_is():
    from suites.discoveryworld.scripts import SCRIPTS as registered
    from suites.discoveryworld.scripts import replies

    assert tuple(registered) == SCRIPTS
    setup, environment = opened("proteomics-easy-0")
    every = replies("proteomics", setup)
    assert every == replies("proteomics", setup)
    environment.begin()
    for reply in every[:5]:
        environment.reply(reply)
    CURRENT.set(CurrentEpisode(setup, environment))
    asked = AgentTurn("proteomics", [], (), 0)
    assert asyncio.run(SUITE.agent("proteomics")(asked)) == every[5]


def test_a_script_that_cannot_go_on_says_why():
    from suites.discoveryworld.scripts import replies

    setup, _ = opened("archaeology-easy-0")
    (*_, last) = replies("proteomics", setup)
    assert last.startswith("I am stuck: goto(Instrument Table): Got 'Instrument Table', expected a place")
    assert last.endswith("turn(north)")
