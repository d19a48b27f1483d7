"""Episodes: what stories tell and ask for, what a reply may look like, what is left out later, and scores."""

import asyncio
import re

import numpy as np
import pytest
from inspect_ai.model import ChatMessageUser

from arena.errors import ConfigError
from evaluation.capabilities import agents_of, form_of, prompts_of
from evaluation.choices.effective import effective
from evaluation.engines.backend import CURRENT, CurrentEpisode
from evaluation.submission import _choices
from evaluation.suite import AgentTurn
from evaluation.suites import chosen_tasks, find_task
from suites.boxing.choices import BoxingChoices
from suites.boxing.environments import WORLDS, drawn, kinds
from suites.boxing.episode import Episode
from suites.boxing.findings import calibration, episode_panels, run_panels
from suites.boxing.replies import answers_of, design_of, explanation_of
from suites.boxing.suite import SUITE
from suites.boxing.world import WrongReplyError
from tests.suites.setups import setup_of

QUICK = {"ask": "together", "experiments": 2, "evaluations": ("0", "2"), "questions": 3}
MEANING = r"dugong|patient|student|infect|peregrine|predator|emotion|person|signal"


def opened(task="dugongs-prediction-0", **choices):
    setup = setup_of(SUITE, task, **choices)
    return setup, Episode(setup)


def played(agent, task="dugongs-prediction-0", **choices):
    """The record of an offline agent, and all observations."""
    setup, environment = opened(task, **choices)
    CURRENT.set(CurrentEpisode(setup, environment))
    observation, shown = environment.begin(), []
    while not observation.done:
        shown.append(observation)
        message = ChatMessageUser(content=observation.parts[0])
        reply = asyncio.run(agents_of(SUITE)[agent](AgentTurn(agent, [message], (), 7)))
        observation = environment.reply(reply)
    return environment.finish(), shown


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["repaired", "as-published"])
@pytest.mark.parametrize(("name", "goal"), list(kinds()))
def test_agents_play_every_kind_with_and_without_meaning(name, goal, mode):
    for agent, wording in (("random", "story"), ("random", "equations"), ("eig", "plain")):
        record, shown = played(agent, f"{name}-{goal}-1", mode=mode, wording=wording, novice=True, **QUICK)
        assert not any(turn["error"] for turn in record.turns), record.turns
        assert [each.kind for each in shown] == ["predict", "act", "act", "predict", "explain", "predict"]
        assert [each.fresh for each in shown] == [False] * 5 + [True]
        assert record.metrics["missing_answers"] == 0
        assert {"z_0", "z_2", "z_novice", "error_0", "regret"} <= record.metrics.keys()
        assert 0 <= record.score <= 1
        assert (record.score > 0.5) == (record.metrics["error_2"] < record.metrics["prior_error"])
        assert ("brier_score" in record.metrics) == (mode == "repaired" and WORLDS[name].goals[goal].chances)
        assert all(turn["regret"] >= 0 for turn in record.turns if turn["kind"] == "act")
        assert record.replay["wording"] == wording
        if wording == "plain":
            first = shown[0].parts[0] + shown[1].parts[0]
            assert not re.search(MEANING, first)
        assert all(title and "<table" in body for title, body in episode_panels(record.as_dict()))


def test_every_question_in_a_turn_of_its_own_as_in_the_paper():
    record, shown = played("random", "death-prediction-0", novice=True)
    bounds = BoxingChoices(novice=True).bounds({"goal": "prediction"})
    assert len(shown) == 10 + 6 * 10 + 1 + 10 == bounds.replies
    assert [each.kind for each in shown[:11]] == ["predict"] * 10 + ["act"]
    assert {int(key[2:]) for key in record.metrics if re.fullmatch(r"z_\d+", key)} == {0, 1, 3, 5, 7, 10}
    # Questions are left out later, so that the story and the last outcome are shown again.
    assert all("theta" in each.parts[0] for each in shown[:11])
    outcome = shown[11].parts[0].splitlines()[0]
    assert all(each.parts[0].startswith(outcome) for each in shown[11:22])
    # A novice is shown nothing but the explanation.
    for each in shown[-10:]:
        assert outcome not in each.parts[0]
        assert "means of the parameters" in each.parts[0]


def test_a_wrong_reply_is_a_turn_and_three_lose_the_request():
    _, environment = opened(**QUICK)
    environment.begin()
    environment.reply("<answer>1; 2; 3</answer>")
    for left in (2, 1):
        shown = environment.reply("<observe>7</observe>")
        assert shown.kind == "act"
        assert f"age: got 7, expected a number from 0 to 5. Replies left: {left}." in shown.parts[0]
    assert "this experiment is lost" in environment.reply("age seven").parts[0]
    environment.reply("<observe>1</observe>")
    for _ in range(2):
        assert environment.reply("<answer>1; 2</answer>").kind == "predict"
    assert environment.refuse("", "Nothing.").done
    record = environment.finish()
    assert (record.metrics["missing_answers"], record.metrics["experiments"]) == (3, 1)
    assert record.metrics["invalid_replies"] == 6
    assert [turn["error"] is None for turn in record.turns] == [True, *[False] * 3, True, *[False] * 3]
    # What is not answered counts as answered by the worst of the range, here a length of a million.
    worst = np.mean([np.log1p(1e6) - np.log1p(truth[0]) for truth in environment.questions.truths])
    assert record.metrics["error_2"] == pytest.approx(worst)
    assert record.metrics["asked_answers"] == 6
    prior = record.metrics["prior_error"]
    assert record.score == pytest.approx(prior / (prior + worst))


READABLE = {
    "<thought>At 3?</thought><observe>2.5</observe>": 2.5,
    "I choose\n2.5": 2.5,
    "<OBSERVE> 2.5": 2.5,
    "<observe>1</observe> no, <observe>2.5 </observe>": 2.5,
    "age: 2.5": 2.5,
}


@pytest.mark.parametrize("reply", READABLE)
def test_designs_are_read_tolerantly(reply):
    assert design_of(reply, drawn("dugongs", 0)[0])[0] == READABLE[reply]


@pytest.mark.parametrize("reply", ["", "<answer>2</answer>", "1 or 2", "<thought>2", "<observe></observe>"])
def test_what_is_no_design_is_refused(reply):
    with pytest.raises(WrongReplyError, match="expected"):
        design_of(reply, drawn("dugongs", 0)[0])


def test_answers_are_read_tolerantly_and_only_where_they_are_unambiguous():
    fields = (WORLDS["dugongs"].goals["prediction"].answer[0],)
    assert answers_of("<answer>3</answer>", fields, 1).tolist() == [[3.0]]
    assert answers_of("About 3.5 or so", fields, 1).tolist() == [[3.5]]
    assert answers_of("70 %", fields, 1).tolist() == [[0.7]]
    assert answers_of("<answer>1. 5\n2. 6</answer>", fields, 2).tolist() == [[5.0], [6.0]]
    assert answers_of("I saw 4 of them.\n1e1", fields, 1).tolist() == [[10.0]]
    for wrong in ("", "2 or 3", "<answer>many</answer>", "<answer>1; 2; 3</answer>"):
        with pytest.raises(WrongReplyError, match=r"expected .*<answer>"):
            answers_of(wrong, fields, 1)


def test_explanations_are_cut_after_so_many_words():
    said = "<thought>x</thought><answer>one two\nthree four</answer>"
    assert explanation_of(said, 3) == ("one two\nthree", 4)
    with pytest.raises(WrongReplyError, match="no explanation"):
        explanation_of("<answer> </answer>", 3)


def test_the_published_death_process_does_not_show_the_time():
    _, shown = played("random", "death-prediction-0", mode="as-published", **QUICK)
    assert "Respond with a positive integer." in shown[0].parts[0]
    assert "at time" not in shown[0].parts[0]
    _, shown = played("random", "death-prediction-0", **QUICK)
    assert "infected at time" in shown[0].parts[0]


def test_tasks_are_selected_by_environment_goal_and_id():
    every = chosen_tasks(SUITE, BoxingChoices(), None)
    assert len(every) == 5 * len(list(kinds())) == 65
    assert len({task.sha256 for task in every}) == 65
    both = BoxingChoices(environments=("death", "irt"), goals=("infection",), seeds=2)
    ids = [task.id for task in chosen_tasks(SUITE, both, None)]
    assert ids == ["death-infection-0", "death-infection-1"]
    assert find_task(SUITE, "predator-prey-prediction-4", BoxingChoices(), None).group == "predator-prey"
    assert find_task(SUITE, "predator-prey-prediction-04", BoxingChoices(), None) is None
    with pytest.raises(ConfigError, match="no task irt-source-0"):
        chosen_tasks(SUITE, BoxingChoices(tasks=("irt-source-0",)), None)


@pytest.mark.parametrize("name", ["dugongs", "hyperbolic", "morals", "emotions", "predator-prey"])
def test_forms_answer_as_a_model_would(name):
    setup, environment = opened(f"{name}-prediction-0", novice=True, **QUICK)
    observation, world = environment.begin(), drawn(name, 0)[0]
    design = {str(k): field.start for k, field in enumerate(world.fields)}
    design |= {"group1": "boy, girl", "group2": "cat", "action": "stay", "explanation": "It rises."}
    while not observation.done:
        form = form_of(SUITE, setup.task, setup.choices, observation)
        given = {each.id: design.get(each.id, getattr(each, "start", None)) for each in form.questions}
        values = form.read({name: str(1 if value is None else value) for name, value in given.items()})
        observation = environment.reply(form.reply(values))
    assert environment.finish().metrics["invalid_replies"] == 0


@pytest.mark.e2e
def test_reports_show_errors_regret_novices_and_calibration():
    own = [
        played("eig", f"{kind}-0", novice=True, **QUICK)[0].as_dict()
        for kind in ("hyperbolic-prediction", "location-source", "morals-prediction")
    ]
    panels = dict(run_panels({"boxing/eig": own}))
    errors, regret, novices = (
        "Standardised error after experiments",
        "Regret of experiments",
        "Novice compared",
    )
    assert list(panels) == [errors, regret, f"{novices} with scientist", "Calibration of probabilities"]
    assert "Perfect inference" in panels[errors]
    assert f"{own[1]['z_0']:.3f}" in panels[errors]
    # Morals have a score and no verdict.
    assert own[2]["passed"] is None
    assert 0 < own[2]["score"] < 1
    assert "<td>morals</td>" in panels[errors]
    bins = calibration(own)
    assert sum(each.number for each in bins) == 2 * 3 * 3
    assert "0 of 9" in panels[errors]
    assert "0 of 9" in panels[f"{novices} with scientist"]
    assert all(each.interval[0] <= each.share <= each.interval[1] for each in bins)
    published = played("random", "irt-prediction-0", mode="as-published", **QUICK)[0].as_dict()
    panels = dict(run_panels({"a": [published]}))
    assert "-0.12" in panels[errors]
    assert "0.035" in panels[regret]
    # The paper's rows stand beside the paper's information only.
    record, _ = played("random", "irt-prediction-0", mode="as-published", wording="equations", **QUICK)
    told = record.as_dict()
    former = {**told, "replay": {k: v for k, v in told["replay"].items() if k != "wording"} | {"prior": True}}
    for record in (told, former):
        assert "The paper" not in "".join(run_panels({"a": [record]})[0])
    assert run_panels({"a": []}) == []


COUNTS = {
    "location": {100},
    "hyperbolic": {0, 1, 10_000},
    "death": {0, 2, 50},
    "irt": {0, 1, 2, 3, 4, 5, 6},
    "dugongs": {0, 5},
    "peregrines": {0, 5},
    "survival": {0, 1, 100},
    "predator-prey": {0, 50},
    "emotions": {0, 1, 2, 3, 9, 100},
    "morals": {0, 1, 2, 4},
}
"""Numbers that a story and its details may have: ranges, counts, and names by number."""

HINTS = (
    r"[=^*+√]|exp\b|exp\(|log\b|logarithm|normal|gaussian|poisson|binomial|bernoulli|beta|gamma|distribut|"
    r"deviation|variance|noise|noisy|on average|mean\b|expected|cubic|logistic|lotka|volterra|squared|alpha|"
    r"theta|lambda|\bability|difficult|random|typical|unknown number"
)
"""What would give the model, its noise or its prior away."""


def story_of(name, goal="prediction"):
    _, episode = opened(f"{name}-{goal}-0", wording="story", **QUICK)
    return episode, episode.begin().parts[0], episode._story()


@pytest.mark.parametrize(("name", "goal"), list(kinds()))
def test_no_story_has_a_formula_a_prior_or_noise(name, goal):
    episode, first, story = story_of(name, goal)
    _, shown = played("random", f"{name}-{goal}-0", wording="story", mode="as-published", **QUICK)
    told = [story, first, *(each.parts[0] for each in shown if each.kind != "explain")]
    opening = SUITE.opening(BoxingChoices(wording="story"), prompts_of(SUITE), 1)[0].text
    for text in (*told, opening):
        assert not re.search(HINTS, text.lower()), re.search(HINTS, text.lower())
    story = story.replace(episode.world.details("story"), "")
    numbers = {float(each.replace(",", "")) for each in re.findall(r"\d[\d,]*(?:\.\d+)?", story)}
    assert numbers <= COUNTS[name], numbers - COUNTS[name]


@pytest.mark.parametrize("name", WORLDS)
def test_a_story_names_all_inputs_their_ranges_and_what_is_asked(name):
    episode, _, story = story_of(name)
    plain = story.replace(",", "").lower()
    fields = episode.world.fields
    if name == "morals":
        assert all(word in plain for word in ("group 1", "group 2", "1 to 4", "swerve", "stay", "saves"))
        return
    for field in fields:
        assert field.label in plain.replace("number of the prize that is won", "prize that is won")
        assert f"{field.low:g}" in plain or name == "hyperbolic"
        assert f"{field.high:g}" in plain
    for asked in episode.questions.goal.answer:
        assert asked.label.removesuffix("number") in plain.replace("rightly", "right")
    assert "predict the results of further experiments" in story


@pytest.mark.parametrize(("name", "goal"), [each for each in kinds() if each[1] != "prediction"])
def test_a_story_has_the_question_on_parameters(name, goal):
    _, first, story = story_of(name, goal)
    question = WORLDS[name].goals[goal].asks_story
    assert question in story
    assert first.count(question) == 2


def test_the_paper_has_stories_and_everything_else_equations():
    assert BoxingChoices().wording == "equations"
    assert BoxingChoices(mode="as-published").wording == "story"
    assert BoxingChoices(mode="as-published", wording="plain").wording == "plain"
    assert effective(SUITE, "paper", {}).choices.wording == "story"
    assert effective(SUITE, "quick", {}).choices.wording == "equations"
    with pytest.raises(ConfigError, match="unknown option 'prior'"):
        effective(SUITE, None, {"prior": "no"})


@pytest.mark.parametrize(("prior", "wording"), [(True, "equations"), (False, "plain")])
def test_logs_with_the_former_choice_are_read(prior, wording):
    for mode in ("repaired", "as-published"):
        assert _choices(SUITE, {"mode": mode, "prior": prior}).wording == wording
    assert BoxingChoices.renamed({"wording": "story"}) == {"wording": "story"}
