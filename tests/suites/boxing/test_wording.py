"""What stories tell: everything an agent needs, and nothing of the model."""

import re

import pytest

from arena.errors import ConfigError
from evaluation.capabilities import prompts_of
from evaluation.choices.effective import effective
from evaluation.submission import _choices
from suites.boxing.choices import BoxingChoices
from suites.boxing.environments import WORLDS, kinds
from suites.boxing.suite import SUITE
from tests.suites.boxing.test_episode import QUICK, opened, played

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
    assert "predict what comes of further experiments" in story


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
