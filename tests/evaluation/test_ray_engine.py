import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from inspect_ai.log import read_eval_log

from arena import ConfigError, EvaluationError
from arena.processes import Engine, in_order
from evaluation.capabilities import prompts_of
from evaluation.suite import EpisodeSetup
from llm_control.choices import ArenaChoices
from llm_control.suite import task_spec
from testbed import find_tasks
from tests.command import printed_by, start
from tests.evaluation.rays import (
    always_killed,
    kill_one_at_work,
    killed_once,
    squared,
    touched_and_waiting,
    until,
)
from tests.llm_control.batteries import ARENA

pytest.importorskip("ray", reason="Ray is not installed: pip install 'arena-llm[ray]'")
psutil = pytest.importorskip("psutil", reason="psutil, which finds Ray's workers, is not installed")
TASK = find_tasks((1,))[0]


@pytest.fixture(scope="module")
def engine():
    from evaluation.engines.ray import RayEngine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evaluation.engines.ray.RETRIES", 1)
        begun = RayEngine(jobs=2)
        yield begun
        begun.close()


@pytest.fixture(params=["local", "ray"])
def either(request):
    return Engine(2) if request.param == "local" else request.getfixturevalue("engine")


@pytest.mark.parametrize("count", [9, 0])
def test_results_come_in_order(either, count):
    assert list(in_order(squared, range(count), 2, either)) == [number**2 for number in range(count)]


def test_items_are_taken_as_results_are(either):
    taken = []
    items = (taken.append(number) or number for number in range(100))
    with closing(in_order(squared, items, 2, either)) as results:
        assert [next(results), next(results)] == [0, 1]
        assert 2 <= len(taken) <= 8


def test_an_error_of_the_function_is_raised_as_it_is(either):
    results = in_order(squared, [2, -1, 3], 2, either)
    assert next(results) == 4
    with pytest.raises(ConfigError) as raised:
        next(results)
    assert type(raised.value) is ConfigError
    assert str(raised.value) == "-1: expected a number that is not negative"


def test_a_killed_worker_costs_only_time(engine, tmp_path):
    places = [tmp_path / str(number) for number in range(4)]
    places[0].touch()
    assert list(in_order(killed_once, places, 2, engine)) == [0, 1, 2, 3]


def test_a_task_that_kills_every_worker_is_named(engine):
    results = in_order(always_killed, range(4), 2, engine, "number {}".format)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(EvaluationError, match=r"^number 2: its process was killed 2 times"):
        next(results)
    assert list(in_order(squared, [3], 2, engine)) == [9]


def setup_of(**choices):
    return EpisodeSetup(ARENA, task_spec(TASK), 0, ArenaChoices(**choices), prompts_of(ARENA))


def test_an_episode_that_kills_every_worker_is_named(engine):
    far = engine.episodes().open(setup_of())
    with pytest.raises(EvaluationError, match=rf"^{TASK.id}: the process that played it was killed 2 times"):
        far.call(partial(always_killed, 2))
    far.close()


def test_no_worker_takes_the_place_of_one_that_the_end_has_killed(engine, tmp_path):
    backend, begun = engine.episodes(), tmp_path / "begun"
    acquire, acquired = backend._acquired, []
    backend._acquired = lambda cores: acquired.append(cores) or acquire(cores)
    far = backend.open(setup_of())
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(far.call, partial(touched_and_waiting, begun))
        while not begun.exists():
            time.sleep(0.02)
        backend.close()
        with pytest.raises(EvaluationError, match="the run was stopped"):
            waiting.result()
    assert acquired == [1]


@pytest.mark.slow
def test_an_episode_goes_on_where_its_workers_core_is_lost_too(engine, tmp_path):
    import ray

    backend, setup = engine.episodes(), setup_of(observation="text")
    both = [backend.open(setup) for _ in range(2)]
    for far in both:
        far.begin()
    occupied = ray.remote(until).options(num_cpus=1).remote(tmp_path / "over")
    try:
        os.kill(both[0].call(os.getpid), signal.SIGKILL)
        assert ray.wait([occupied], timeout=2)[0] == []
        assert both[0].reply("Go(5);") == both[1].reply("Go(5);")
        assert ray.available_resources().get("CPU", 0) == 0
    finally:
        (tmp_path / "over").touch()
        ray.get(occupied)
        for far in both:
            far.close()


@pytest.mark.slow
def test_more_jobs_than_cores_have_no_more_workers(engine, monkeypatch):
    monkeypatch.setattr(engine, "jobs", 5)
    backend, setup = engine.episodes(), setup_of(observation="text")
    every = [backend.open(setup) for _ in range(5)]
    assert len({far.begin() and far.call(os.getpid) for far in every}) == 2
    for far in every:
        far.close()


def same(far, here):
    assert replace(far, parts=()) == replace(here, parts=())
    assert list(map(type, far.parts)) == list(map(type, here.parts))
    for sent, made in zip(far.parts, here.parts, strict=True):
        np.testing.assert_array_equal(sent, made)


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["oracle", "random"])
def test_an_evaluation_is_the_same_when_a_worker_is_killed(command, tmp_path, agent):
    played = ("eval", "--model", f"arena/{agent}", "--tasks", "01-01-01,05-03-01", "--log-dir")
    assert command(*played, tmp_path / "here").returncode == 0
    with started(*played, tmp_path / "there") as process:
        kill_one_at_work(process.pid, "ray::Worker.play")
        assert "Report" in process.communicate(timeout=200)[0]
    assert process.returncode == 0
    assert samples(tmp_path / "there") == samples(tmp_path / "here")


def samples(folder):
    """What a log has of its samples, apart from times and random names."""
    (path,) = folder.glob("*.eval")
    read = read_eval_log(str(path), resolve_attachments=True).samples
    return {
        sample.id: (sample.metadata, said(sample), str(sample.scores["episode_score"].value))
        for sample in read
    }


def said(sample):
    parts = [message.content for message in sample.messages]
    plain = [part if isinstance(part, str) else [each.model_dump() for each in part] for part in parts]
    return [(message.role, part) for message, part in zip(sample.messages, plain, strict=True)]


def started(*arguments):
    return start(*arguments, "--engine", "ray", "--jobs", "2")


def test_what_is_called_after_the_end_starts_no_other_ray():
    program = (
        "from evaluation.engines.ray import RayEngine\n"
        "engine = RayEngine(jobs=1)\n"
        "engine.close()\n"
        "import ray\n"
        "try:\n"
        "    ray.put(1)\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, ray.is_initialized())\n"
    )
    assert printed_by(program) == "RaySystemError False\n"


def refused(*more):
    """What a command says that cannot begin."""
    with started("testbed", "verify", "--levels", "1", *more) as process:
        told = process.communicate(timeout=120)[1]
    assert process.returncode == 1
    return told


def test_an_address_without_a_cluster_is_said():
    told = refused("--ray-address", "127.0.0.1:9")
    assert re.match(r"arena-llm: --ray-address 127.0.0.1:9: no Ray cluster could be joined there", told)


def test_a_ray_that_cannot_start_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "none" / "here"))
    (tmp_path / "none").touch()
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH", "RAY_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    told = refused()
    assert "arena-llm: --engine ray: Ray cannot start on this machine (" in told
    assert "Traceback" not in told


@pytest.mark.parametrize("address", ["here", "ray://127.0.0.1", "127.0.0.1:x"])
def test_an_address_of_another_form_is_refused(address):
    from evaluation.engines.ray import check_answers

    with pytest.raises(EvaluationError, match=r"^--ray-address: got .*, expected HOST:PORT"):
        check_answers(address)


def test_an_address_without_ray_is_refused(command):
    said = command("testbed", "verify", "--levels", "1", "--ray-address", "auto").sentence
    assert said == "arena-llm: --ray-address auto: only --engine ray uses a cluster\n"
