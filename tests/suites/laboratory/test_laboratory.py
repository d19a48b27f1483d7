"""The laboratory in words and in pictures: what replies do, what is told, who passes, forms and reports."""

import numpy as np
import pytest

from arena.science import Seen
from arena.science.words import doors, numbers_of, seen
from evaluation.capabilities import episode_panels, run_panels
from evaluation.script.laboratory import read_reply
from render import DRAWN_BY
from suites.laboratory.episode import experiment_of
from suites.laboratory.form import form
from suites.laboratory.offline import replied
from suites.laboratory.picture import Bench
from suites.laboratory.suite import SUITE
from tests.suites.setups import setup_of


def opened(task_id="11-04-01", trial=0, **chosen):
    episode = SUITE.open(setup_of(SUITE, task_id, trial, **chosen))
    return episode, episode.begin()


def record(*replies, **chosen):
    episode, _ = opened(**chosen)
    for reply in replies:
        episode.reply(reply)
    return episode.finish()


def played(agent, task, trial=0, **chosen):
    episode, now = opened(task, trial, **chosen)
    while not now.done:
        now = episode.reply(agent(episode) if callable(agent) else replied(agent, trial, episode))
    return episode.finish()


TASKS = [task.id for task in SUITE.tasks(SUITE.choices(), None)]


def rate(agent, trials=2):
    found = [played(agent, task, trial).score for task in TASKS for trial in range(trials)]
    return sum(found) / len(found)


def test_what_agents_get():
    assert rate("ideal") >= 0.98
    assert rate("random") >= 0.8
    assert rate(lambda episode: "") == rate(lambda episode: "I open door 1") == 0
    # The mean of one over the number of doors is 0.37.
    assert 0.27 < rate("prior-only") < 0.47
    # No constant door passes more than the prior.
    assert max(rate(lambda episode, k=k: f"Open({k});") for k in (1, 2)) < 0.47


@pytest.mark.parametrize("task", ["11-09-01", "12-21-01", "13-30-01", "14-29-01"])
def test_every_outcome_is_told_with_its_experiment(task):
    episode, _ = opened(task)
    hidden, question = episode.hidden, episode.question
    for experiment in range(len(hidden.likelihood)):
        numbers = numbers_of(question, experiment)
        assert experiment_of(question, numbers) == experiment
        outcomes = {seen(question, experiment, each) for each in range(hidden.likelihood.shape[2])}
        assert len(outcomes) == hidden.likelihood.shape[2]
    assert len({*doors(question)}) == question.doors


@pytest.mark.parametrize("task", TASKS)
def test_first_texts_say_all(task):
    episode, now = opened(task)
    (text,) = now.parts
    assert "$" not in text
    assert "  " not in text
    assert text.count("\nDoor ") == episode.question.doors
    assert f"at most {episode.question.experiments} experiments" in text


def test_an_episode_from_experiment_to_door():
    episode, _ = opened("11-04-01")
    right = int(episode.hidden.doors[episode._truth]) + 1
    asked = episode.reply("Think('one by one'); Try([1]);")
    assert asked.kind == "predict"
    assert "On the plate: 1 (blue). The lamp is" in asked.parts[0]
    shown = episode.reply("Belief([50 %, 25 %, 25 %]);")
    assert shown.kind == "act"
    # The question of a belief is not sent again, so the outcome is told here.
    assert "On the plate: 1 (blue). The lamp is" in shown.parts[0]
    assert "Answer 2 of 5" in shown.parts[0]
    ended = episode.reply(f"Open({right});")
    assert (ended.done, ended.reward) == (True, 1.0)
    kept = episode.finish()
    assert (kept.score, kept.outcome, kept.metrics["experiments"]) == (1.0, "right", 1)
    assert kept.turns[1]["belief"] == (0.5, 0.25, 0.25)
    assert kept.turns[0]["information"] == kept.turns[0]["best"] == pytest.approx(0.918, abs=1e-3)


def test_every_reply_counts_and_the_last_is_for_a_door():
    episode, now = opened("11-04-01", beliefs=False)
    for number, reply in enumerate(("hm", "Try([9]);", "Open(7);", "Try([1]); Open(1);"), start=2):
        now = episode.reply(reply)
        assert "could not be carried out" in now.parts[0]
        assert f"Answer {number} of 5" in now.parts[0]
    assert "no experiments left" in now.parts[0]
    assert episode.reply("Try([1]);").done
    kept = episode.finish()
    assert (kept.outcome, kept.score, kept.metrics["invalid_replies"]) == ("no door", 0.0, 5)


def test_a_belief_that_cannot_be_used_is_missing():
    for wrong in ("", "Open(1);", "Belief([0.5, 0.5]);", "Belief([0.9, 0.9, 0.9]);", "Belief([a, b, c]);"):
        kept = record("Try([1]);", wrong, "Open(1);")
        assert kept.metrics["missing_beliefs"] == 1
        assert "divergence" not in kept.metrics
        assert kept.turns[-1]["door"] == 0


def test_acting_against_the_own_belief_is_seen():
    assert record("Try([1]);", "Belief([0.8, 0.1, 0.1]);", "Open(1);").metrics["agrees"] == 1
    assert record("Try([1]);", "Belief([0.8, 0.1, 0.1]);", "Open(2);").metrics["agrees"] == 0


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ("Try(2);", (2,)),
        ("Try([1, 3]);", (1, 3)),
        ("Try([]);", ()),
        ("```\ntry(things 1, 3)\n```", (1, 3)),
        ("I take two. Try([1,2])", None),
        ("Try([1, 1]);", None),
        ("Try([one]);", None),
    ],
)
def test_reading_of_numbers(reply, numbers):
    read = read_reply(reply, ("Try", "Open"))
    assert (read.command.numbers if read.command else None) == numbers
    assert (read.problem is None) == (numbers is not None)
    strict = read_reply(reply, ("Try", "Open"), strict=True)
    assert (strict.command is not None) == (reply in ("Try(2);", "Try([1, 3]);", "Try([]);"))


@pytest.mark.parametrize("task", ["11-04-01", "12-21-01", "13-30-01", "14-29-01"])
def test_people_can_play_by_forms(task):
    episode, now = opened(task)
    (spec,) = SUITE.named(task, SUITE.choices(), None)
    acts = 0
    while not now.done:
        shown = form(spec, SUITE.choices(), now)
        assert "Try(" not in shown.text
        assert "Belief(" not in f"{shown.text}"
        choice = shown.questions[-1]
        answers = {each.id: "50" for each in shown.questions}
        if not now.data["predicts"]:
            acts += 1
            answers = {"act": choice.options[0 if acts < 3 else -1], "things": '["1 (blue)"]'}
        now = episode.reply(shown.reply(shown.read(answers)))
    kept = episode.finish()
    assert (kept.metrics["experiments"], kept.metrics["invalid_replies"]) == (2, 0)
    assert kept.turns[-1]["door"] == episode.question.doors - 1


def test_reports_show_the_chain():
    kept = [{**played("ideal", task).as_dict()} for task in TASKS[:8]]
    (chain,) = run_panels(SUITE, {"ideal": kept, "silent": [{"turns": []}]})
    row = chain.body.split("<tr>")[2]
    assert "<td>ideal</td>" in row
    assert row.count("1.00 [") == 3
    (panel,) = episode_panels(SUITE, kept[5])
    assert "The lamp is" in panel.body
    assert "opened door" in panel.body
    assert "●" in panel.body


@pytest.mark.parametrize("task", ["11-11-01", "12-11-01", "13-11-01", "14-11-01"])
def test_pictures_show_what_words_tell(task):
    """Every outcome is another picture, and none is told."""
    episode, now = opened(task, observation="image", image_size=256)
    frame, text = now.parts
    assert (frame.shape, now.drawn_by, "$" in text) == ((256, 256, 3), DRAWN_BY, False)
    number = numbers_of(episode.question, 1)
    asked = episode.reply(f"Try({list(number)});" if task < "12" else f"Try({number[0]});")
    (first, told), said = asked.parts, episode.turns[-1].said
    assert (asked.kind, asked.told, said in told) == ("predict", None, False)
    assert "The picture shows" in told
    assert (first != frame).any()
    bench, pictures = Bench(task), set()
    likely = episode.hidden.likelihood[1].max(axis=0)
    for outcome in np.flatnonzero(likely).tolist():
        bench.show(Seen(1, outcome))
        pictures.add(bench.picture(256).tobytes())
    assert len(pictures) == np.count_nonzero(likely)


@pytest.mark.parametrize("task", ["11-01-01", "12-05-01", "13-01-01", "14-01-01"])
def test_what_can_be_clicked_is_where_it_is_in_the_picture(task):
    setup = setup_of(SUITE, task, observation="image", image_size=256)
    now = SUITE.open(setup).begin()
    colours = {
        "blue": (27, 105, 255),
        "orange": (255, 145, 30),
        "purple": (152, 56, 205),
        "white": (255,) * 3,
    }
    questions = form(setup.task, setup.choices, now).questions
    seen = 0
    for option, box in ((o, b) for each in questions for o, b in zip(each.options, each.boxes, strict=True)):
        if (named := option.rpartition("(")[2].rstrip(")")) in colours and "door" not in option:
            row, column = (box.top + box.bottom) / 2, (box.left + box.right) / 2
            pixel = now.parts[0][int(256 * row), int(256 * column)].astype(int)
            assert np.abs(pixel - colours[named]).max() < 40, option
            seen += 1
    assert seen >= 2


def test_without_drawing_pictures_are_black():
    setup = setup_of(SUITE, "13-11-01", observation="image", image_size=256)
    frame, _ = SUITE.open(setup._replace(draws=False)).begin().parts
    assert not frame.any()
