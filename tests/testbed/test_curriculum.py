"""Streams of tasks: levels of the battery, and tasks drawn from its blueprints."""

import copy
import pickle
from itertools import islice

import gymnasium
import pytest

from arena import ArenaEnv, ConfigError, LayoutError, load_text
from arena.gym.curriculum import Curriculum
from testbed.blueprints import CONDITIONS
from testbed.curriculum import FIRST_VARIANT, Generated, Levels, Replayed
from testbed.tasks import LEVELS_FOLDER, find_paths
from tests.arena.learning import same

ID = "arena-llm/Arena-v0"


def played(stream, seed=0, count=5):
    """The ids of the first tasks with a seed."""
    stream.restart(seed)
    return list(islice(_ids(stream), count))


def _ids(stream):
    while True:
        with stream.next() as episode:
            yield episode.task_id


def written(folder, *names):
    """Empty arenas."""
    for name in names:
        (folder / f"{name}.yaml").write_text("!ArenaConfig {arenas: {0: !Arena {items: []}}}")
    return folder


def test_levels_are_played_in_the_order_of_their_ids():
    assert played(Levels("2-3"), count=3) == ["02-01-01", "02-01-02", "02-01-03"]
    assert played(Levels("10"), count=1) == ["10-01-01"]


def test_levels_begin_again_after_the_last(tmp_path):
    stream = Levels("1", testbed=written(tmp_path, "01-01-01", "01-01-02"))
    assert played(stream) == [*["01-01-01", "01-01-02"] * 2, "01-01-01"]


def test_a_random_order_has_every_task_once_a_round_and_depends_on_the_seed():
    stream = Levels("1", order="random")
    first = played(stream, seed=1, count=90)
    assert sorted(first) == sorted(path.stem for path in find_paths((1,)))
    assert played(stream, seed=1, count=90) == first != sorted(first)
    assert played(stream, seed=2, count=90) != first


def test_further_arenas_of_a_file_are_tasks_of_their_own(tmp_path):
    (tmp_path / "pair.yaml").write_text(
        "!ArenaConfig {arenas: {3: !Arena {items: []}, 5: !Arena {items: []}}}"
    )
    stream = Levels("1-10", testbed=written(tmp_path, *(f"{level:02d}-01-01" for level in range(1, 11))))
    assert {"pair", "pair#1"}.isdisjoint(played(stream, count=12))


def test_a_broken_task_is_named_with_its_file(tmp_path):
    file = tmp_path / "01-01-01.yaml"
    file.write_text("!ArenaConfig {arenas: {0: !Arena {items: [!Item {nam: Wall}]}}}")
    with pytest.raises(ConfigError, match=r"01-01-01\.yaml:1"):
        Levels("1", testbed=tmp_path).next()
    full = tmp_path / "full"
    full.mkdir()
    walls = f"!Item {{name: Wall, rotations: [{', '.join(['0'] * 1001)}]}}"
    (full / "01-01-02.yaml").write_text(f"!ArenaConfig {{arenas: {{0: !Arena {{items: [{walls}]}}}}}}")
    with pytest.raises(LayoutError, match=r"01-01-02\.yaml: 01-01-02: got 1001 objects"):
        ArenaEnv(Levels("1", testbed=full), observation="vector").reset(seed=1)


def test_generated_tasks_depend_on_the_seeds_alone():
    first = played(Generated("1-10", seed=3), seed=1, count=8)
    stream = Generated("1-10", seed=3)
    played(stream, seed=2, count=3)
    assert played(stream, seed=1, count=8) == first
    texts = [stream.text(task_id) for task_id in first]
    assert [Generated("1-10", seed=3).text(task_id) for task_id in first] == texts
    assert [Generated("1-10", seed=4).text(task_id) for task_id in first] != texts
    assert len(set(texts)) == 8


def test_a_generated_task_can_be_made_again_from_its_id():
    stream = Generated("3", seed=3)
    with stream.next() as episode:
        spec = load_text(stream.text(episode.task_id)).arenas[0]
        assert spec == episode.spec
    for wrong in ("3", "11-99-1"):
        with pytest.raises(ConfigError, match=f"task_id: got '{wrong}', expected the id"):
            stream.text(wrong)
    with pytest.raises(ConfigError, match="got '01-02-5', expected one of 03-01-V, 03-02-V, "):
        stream.named("01-02-5")


@pytest.mark.parametrize("other", [-1, 1, 2, 7])
def test_environments_with_seeds_of_their_own_play_no_task_twice(other):
    stream = Generated("1")
    assert not set(played(stream, seed=0, count=40)) & set(played(stream, seed=other, count=40))


def test_no_generated_task_is_of_the_shipped_battery():
    names = [task_id.split("-") for seed in range(4) for task_id in played(Generated("1-10"), seed, 10)]
    assert all(int(variant) >= FIRST_VARIANT for _, _, variant in names)


def test_a_number_of_tasks_is_played_in_turn_from_the_seed_on():
    stream = Generated("1-3", count=3)
    tasks = played(stream, seed=0, count=3)
    assert len(set(tasks)) == 3
    assert played(stream, seed=0, count=7) == tasks * 2 + tasks[:1]
    assert played(stream, seed=4, count=3) == tasks[1:] + tasks[:1]


@pytest.mark.parametrize(
    ("stream", "task", "message"),
    [
        (Levels("3"), "03-02-01", "'03-99-01', expected one of 03-01-01, .*, 03-04-03 and 78 more"),
        (Generated("3", count=4), "03-02-77", "'03-99-01', expected the id of a generated task"),
    ],
)
def test_a_task_is_played_by_its_id(stream, task, message):
    env = ArenaEnv(stream, observation="vector", task_info=True)
    first = [env.reset(seed=1)[1]["arena"], env.reset()[1]["arena"]]
    assert env.reset(seed=1)[1]["arena"] == first[0]
    assert env.reset(options={"task": task})[1]["arena"] == task
    assert env.reset()[1]["arena"] == first[1]
    with pytest.raises(ConfigError, match=message):
        env.reset(options={"task": "03-99-01"})


def test_tasks_of_the_battery_are_made_by_their_ids(tmp_path, monkeypatch):
    path = LEVELS_FOLDER / "03_static_obstacles/03-02-01.yaml"
    by_id, by_path = (gymnasium.make(ID, config=each, observation="vector") for each in (path.stem, path))
    assert same(by_id.reset(seed=1), by_path.reset(seed=1))
    assert by_id.unwrapped.episode.spec == by_path.unwrapped.episode.spec
    several = gymnasium.make(ID, config=["03-02-01", "01-01-01"], observation="vector", task_info=True)
    assert [several.reset()[1]["arena"] for _ in range(3)] == ["03-02-01", "01-01-01", "03-02-01"]
    assert several.reset(options={"task": "03-02-01"})[1]["arena"] == "03-02-01"
    with pytest.raises(ConfigError, match="no file '03-99-01', and no task of the battery has this id"):
        ArenaEnv("03-99-01")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "03-02-01").write_text("!ArenaConfig {arenas: {5: !Arena {items: []}}}")
    env = ArenaEnv("03-02-01", observation="vector")
    env.reset()
    assert env.episode.task_id == "5"


def test_a_difficulty_keeps_its_paradigms():
    for task_id in played(Generated("1-10", difficulty=3), count=20):
        level, task, _ = map(int, task_id.split("-"))
        assert CONDITIONS[level][task - 1].difficulty == 3


def test_every_paradigm_comes_up():
    stream = Generated("4")
    seen = {stream._draw(0, number).task for number in range(400)}
    assert seen == set(range(1, len(CONDITIONS[4]) + 1))


@pytest.mark.parametrize("stream", [Levels("1", order="random"), Generated("1-2"), Generated("1", count=4)])
def test_a_stream_goes_on_in_a_copy(stream):
    assert isinstance(stream, Curriculum)
    played(stream, seed=5, count=3)
    copies = [pickle.loads(pickle.dumps(stream)), copy.deepcopy(stream), stream]
    assert len({tuple(islice(_ids(each), 4)) for each in copies}) == 1


def test_an_environment_leaves_the_stream_it_was_made_of_alone():
    stream = Generated("1")
    first = played(stream, count=1)
    stream.restart(0)
    one, two = (ArenaEnv(stream, observation="vector", task_info=True) for _ in range(2))
    assert [env.reset(seed=0)[1]["arena"] for env in (one, two)] == first * 2
    assert list(islice(_ids(stream), 1)) == first


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Levels("15"), "levels: got '15', expected levels between 1 and"),
        (lambda: Levels(1), "levels: got 1, expected a text such as '1-3'"),
        (lambda: Levels(testbed=5), "testbed: got 5, expected the path of a folder"),
        (lambda: Generated((1, 2)), r"levels: got \(1, 2\), expected a text such as '1-3'"),
        (lambda: Levels("1", version="9"), "version: got '9', expected one of '2', '3.1.3', '4.1', '4'"),
        (lambda: Generated("1").text(5), "task_id: got 5, expected the id of a generated task"),
        (lambda: Levels("1", order="shuffled"), "order: got 'shuffled', expected one of listed, random"),
        (lambda: Generated("1", seed=-1), "seed: got -1, expected a whole number, 0 or more"),
        (lambda: Generated("1", count=0), "count: got 0, expected a whole number, 1 or more"),
        (lambda: Generated("1", difficulty=4), "difficulty: got 4, expected one of 1, 2, 3"),
    ],
)
def test_a_wrong_option_says_what_is_expected(make, message):
    with pytest.raises(ConfigError, match=message):
        make()


def replayed(scores, seed=1, count=60, size=8):
    """The ids of tasks after eight new ones and their scores, and a copy of the curriculum made then."""
    stream = Replayed("1-3", seed=3, size=size)
    stream.restart(seed)
    first = list(islice(_ids(stream), 8))
    stream.scored(dict(zip(first, scores, strict=True)))
    return first, list(islice(_ids(copied := pickle.loads(pickle.dumps(stream))), count)), stream, copied


def test_replayed_tasks_depend_on_the_seeds_and_the_scores_alone():
    rising = list(range(8))
    first, then, stream, copied = replayed(rising)
    assert first == played(Generated("1-3", seed=3), seed=1, count=8)
    assert list(islice(_ids(stream), 60)) == then
    assert replayed(rising)[1] == then
    assert replayed(rising[::-1])[1] != then
    assert played(copied, seed=1, count=8) == first, "restarting forgets the scores"


def test_tasks_are_replayed_by_rank_of_score_and_age_and_half_are_new():
    first, then, *_ = replayed([3, 1, 4, 1.5, 9, 2.6, 5, 3.5], count=2000)
    times = [then.count(name) for name in first]
    assert sum(times) == pytest.approx(1000, abs=80)
    assert len({*then} - {*first}) == 2000 - sum(times)
    # 0.3 of the draws by age, 8 to 1 of 36; the others by rank, of which the first has 0.87.
    share = 1 / sum(rank ** (-1 / 0.3) for rank in range(1, 9))
    assert times[4] / sum(times) == pytest.approx(0.7 * share + 0.3 * 4 / 36, abs=0.04)
    assert times[0] / sum(times) == pytest.approx(0.7 * share * 5 ** (-1 / 0.3) + 0.3 * 8 / 36, abs=0.02)


def test_only_the_best_scores_are_kept_and_too_few_are_not_replayed():
    first, then, *_ = replayed([3, 1, 4, 1.5, 9, 2.6, 5, 3.5], size=2, count=100)
    assert {first[4], first[6]} == {*first} & {*then}
    assert not {*first} & {*replayed([1] * 8, size=33, count=100)[1]}
