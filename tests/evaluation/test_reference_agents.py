"""Reference agents by real play: silence, garbage and refusal get nothing, and the tables are reproduced."""

from functools import cache

import pytest

from benchmarks.references import mean_score
from evaluation.evaluate import evaluate
from evaluation.request import EvalRequest
from evaluation.scale.references import RUNNERS, references, scale_of
from evaluation.suites import chosen_tasks, get_suite
from evaluation.transcript import play
from tests.suites.setups import needs_java

SUITES = [
    *("arena", "est", "laboratory", "boxing"),
    pytest.param("scienceworld", marks=[needs_java, pytest.mark.e2e]),
]


async def refusal(turn):
    return "I'm sorry, but I can't help with that."


async def template(turn):
    return "<thought>...</thought> <answer></answer> <observe></observe> Belief([]); Trial([]); Go(); Turn();"


@cache
def sampled(name, number=1):
    """The first tasks of each group that take few replies, with the choices of its setting."""
    suite = get_suite(name)
    scale, found = scale_of(suite), []
    for setting in scale.settings:
        choices = suite.choices(**setting)
        groups = {}
        for task in chosen_tasks(suite, choices, None):
            # Not the worlds of 1,000 steps.
            if name not in ("scienceworld", "discoveryworld") or choices.bounds(task.content).replies <= 100:
                groups.setdefault(scale.group(task.id, task.group), []).append(task)
        found += [(group, tasks[:number], choices) for group, tasks in groups.items()]
    return found


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("agent", ["template", pytest.param("refusal", marks=pytest.mark.e2e)])
@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_nothing_that_cannot_be_used_gets_anything(name, agent, every, monkeypatch):
    monkeypatch.setitem(RUNNERS, "refusal", refusal)
    monkeypatch.setitem(RUNNERS, "template", template)
    suite = get_suite(name)
    priors = {row.group: row.score for row in references(scale_of(suite).table) if row.agent == "prior-only"}
    for group, tasks, choices in sampled(name)[:: every if name == "scienceworld" else 1]:
        record = play(suite, agent, tasks[0], choices)
        assert record.score < priors[group] if name == "boxing" else record.score == 0, group
        assert not record.passed
        assert all(turn["error"] for turn in record.turns)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SUITES if name != "boxing"])
def test_the_table_is_what_the_agents_get(name):
    suite = get_suite(name)
    kept = {(row.conditions, row.group, row.agent): row for row in references(scale_of(suite).table)}
    for group, tasks, choices in sampled(name, 2)[:6]:
        conditions = scale_of(suite).conditions(choices.model_dump())
        best = kept[conditions, group, "ideal"]
        episodes, score, _ = mean_score(suite, "ideal", tasks, choices)
        # Two episodes of the table's own: its mean without them is still from 0 to 1.
        rest = best.score * best.episodes - score * episodes
        assert -1e-3 * best.episodes <= rest <= (best.episodes - episodes) + 1e-3 * best.episodes, group
        if best.score in (0, 1):
            assert score == best.score


@pytest.mark.parametrize(("agent", "replies"), [("silent", 10), ("garbage", 10), ("ideal", None)])
def test_a_log_has_the_same_episode(tmp_path, agent, replies):
    suite = get_suite("est")
    request = EvalRequest(suite, f"est/{agent}", choices={"episodes": 2})
    log = evaluate(request, tmp_path, display="none")
    assert log.metadata["scoring"] == scale_of(suite).scoring
    for episode, task in zip(log.episodes(), request.tasks, strict=True):
        record = play(suite, agent, task, request.effective.choices)
        assert [turn["reply"] for turn in episode.turns] == [turn["reply"] for turn in record.turns]
        assert (episode.result.passed, episode.result.score) == (record.passed, record.score)
        assert replies is None or len(episode.turns) == replies
