"""What a vector environment says and leaves behind when something goes wrong."""

import gc
import os
import signal
import subprocess
import sys
import time
import traceback

import gymnasium
import numpy as np
import pytest

from arena import ConfigError, LayoutError, WorkerError
from arena.episode import Episode
from arena.gym.vector_env import ArenaVectorEnv
from tests.arena.learning import FILE, same


class Deadly:
    """A stream whose third task, for seed 2, is the end of its process; or a broken one."""

    def __init__(self, exit_code=None):
        self._exit_code = exit_code
        self.restart(0)

    def restart(self, seed):
        self._seed, self._played = seed, 0

    def next(self):
        self._played += 1
        if (self._seed, self._played) == (2, 3):
            if self._exit_code is None:
                raise LayoutError("third: too full")
            os._exit(self._exit_code)
        return Episode(FILE.arenas[0], task_id=f"task-{self._played}", seed=self._seed)


def envs_of(config=FILE, num_envs=4, **options):
    return ArenaVectorEnv(num_envs, config=config, observation="vector", **options)


def pids(envs):
    return [process.pid for process in envs._players._processes]


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for_end(numbers):
    until = time.monotonic() + 30
    while any(map(is_alive, numbers)) and time.monotonic() < until:
        time.sleep(0.05)
    return not any(map(is_alive, numbers))


@pytest.mark.e2e
def test_a_worker_that_dies_is_an_error_that_names_environment_task_and_exit_code():
    envs = envs_of(Deadly(exit_code=7), workers=2)
    numbers = pids(envs)
    envs.reset(seed=0)
    envs.reset()
    with pytest.raises(WorkerError, match="environment 2, which played task-2, has ended with exit code 7"):
        envs.reset()
    assert wait_for_end(numbers)
    with pytest.raises(gymnasium.error.ClosedEnvironmentError, match="closed"):
        envs.reset()


@pytest.mark.e2e
def test_a_worker_that_is_killed_is_an_error():
    envs = envs_of(workers=2)
    envs.reset(seed=0)
    os.kill(pids(envs)[1], signal.SIGKILL)
    with pytest.raises(WorkerError, match=r"environment [23], which played 0, .* exit code -9; .* memory"):
        _step_often(envs)


def _step_often(envs):
    for _ in range(3):
        envs.step(np.zeros(4, int))


@pytest.mark.parametrize("workers", [0, 2])
def test_a_broken_task_is_named_and_the_others_go_on(workers):
    envs = envs_of(Deadly(), workers=workers)
    envs.reset(seed=0)
    envs.reset()
    with pytest.raises(LayoutError, match=r"^environment 2: third: too full"):
        envs.reset()
    envs.reset()
    envs.close()


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(
    ("action", "bad"),
    [
        ("discrete9", 9),
        ("discrete9", -1),
        ("discrete9", 2.7),
        ("discrete9", np.nan),
        ("continuous", (0.0, 1.5)),
        ("continuous", (np.nan, 0.0)),
        ("multidiscrete", (0, 3)),
    ],
    ids=str,
)
def test_an_action_outside_the_space_names_its_environment_and_no_other_takes_a_step(workers, action, bad):
    envs = envs_of(workers=workers, action=action)
    envs.reset(seed=0)
    with pytest.raises(ConfigError, match=r"^environment [03]: action: got .*, expected"):
        envs.step(np.array([np.zeros_like(bad)] * 3 + [bad]))
    reference = envs_of(workers=0, action=action)
    reference.reset(seed=0)
    fine = envs.action_space.sample()
    assert same(envs.step(fine), reference.step(fine))
    envs.close()


@pytest.mark.parametrize(
    "actions",
    [[0, True, 0, 0], (True,) * 4, np.array([True, False, False, False]), [0, np.True_, 0, 0]],
    ids=str,
)
def test_true_is_no_action(actions):
    envs = envs_of(workers=0)
    envs.reset(seed=0)
    with pytest.raises(
        ConfigError, match=r"^environment [01]: action: got .*True.*, expected a whole number"
    ):
        envs.step(actions)
    envs.step([0, 1, np.int64(2), 3])
    envs.close()


class Broken(Deadly):
    """A stream with a fault in its third task for seed 2."""

    def next(self):
        if (self._seed, self._played) == (2, 2):
            return 1 / 0
        return super().next()


@pytest.mark.parametrize("workers", [0, 2])
def test_a_fault_of_a_curriculum_keeps_its_stack_and_names_its_environment(workers):
    envs = envs_of(Broken(), workers=workers)
    envs.reset(seed=0)
    envs.reset()
    with pytest.raises(ZeroDivisionError) as caught:
        envs.reset()
    shown = "".join(traceback.format_exception(caught.value))
    assert "in environment 2" in shown
    assert "return 1 / 0" in shown
    assert f'{__file__}", line' in shown
    envs.close()


@pytest.mark.parametrize("workers", [0, 2])
def test_what_is_not_reset_cannot_be_stepped(workers):
    envs = envs_of(workers=workers, autoreset_mode="DISABLED", max_episode_steps=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros(4, int))
    envs.reset(seed=0)
    envs.step(np.zeros(4, int))
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"environments \[0, 1, 2, 3\] are over"):
        envs.step(np.zeros(4, int))
    envs.close()


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda envs: envs.step(np.zeros(3, int)), r"actions: got the shape \(3,\), expected \(4,\)"),
        (lambda envs: envs.step([0, [1], 2, 3]), r"actions: got .*, expected the shape \(4,\)"),
        (lambda envs: envs.reset(seed=[1, 2]), "seed: got 2 seeds, expected one for each of 4"),
        (
            lambda envs: envs.reset(options={"reset_mask": [True] * 4}),
            "reset_mask: got .* expected a bool array",
        ),
        (lambda envs: envs.reset(options={"reset_mask": np.zeros(4, bool)}), "reset_mask: got no True"),
        (
            lambda envs: envs.reset(options={"task": 1}),
            "^environment 0: task: got '1', expected one of 0, 7",
        ),
        (lambda envs: envs.call("step", 1), "call: got 'step'"),
        (lambda envs: envs.set_attr("mark", [1]), "mark: got 1 values, expected one for each of 4"),
    ],
    ids=range(8),
)
def test_wrong_use_says_what_is_expected(use, message):
    envs = envs_of(workers=0)
    envs.reset(seed=1)
    with pytest.raises(ConfigError, match=message):
        use(envs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs: got 0, expected a whole number, 1 to 1024"),
        ({"workers": -1}, "workers: got -1, expected a whole number, 0 or more"),
        ({"autoreset_mode": "sometimes"}, "autoreset_mode: got 'sometimes', expected one of 'NEXT_STEP'"),
        ({"frame_stak": 2}, "frame_stak: no such option; did you mean"),
        ({"config": "absent.yaml"}, "absent.yaml"),
        ({"config": ()}, "config: got \\(\\), expected"),
    ],
    ids=str,
)
def test_wrong_options_start_no_process(options, message):
    with pytest.raises(ConfigError, match=message):
        envs_of(**options)


@pytest.mark.e2e
def test_an_error_keeps_no_process():
    envs = envs_of(workers=2)
    numbers = pids(envs)
    envs.reset(seed=0)
    with pytest.raises(ConfigError):
        envs.step(np.full(4, 9))
    del envs
    gc.collect()
    assert wait_for_end(numbers)


@pytest.mark.e2e
def test_an_interrupted_step_does_not_mix_up_the_next():
    envs, reference = envs_of(workers=2), envs_of(workers=0)
    envs.reset(seed=0)
    envs._players._connections[0].send(("step", (np.zeros(2, int),)))
    envs._players._pending.add(0)  # as when Ctrl-C comes before the answer
    assert same(envs.reset(seed=3), reference.reset(seed=3))
    envs.close()


@pytest.mark.e2e
def test_processes_end_with_the_object():
    envs = envs_of(workers=2)
    numbers = pids(envs)
    assert all(map(is_alive, numbers))
    del envs
    assert wait_for_end(numbers)


PROGRAM = """
import sys, numpy as np, arena
from arena.gym.vector_env import ArenaVectorEnv
from tests.arena.learning import FILE

if __name__ == "__main__":
    envs = ArenaVectorEnv(4, config=FILE, observation="vector", workers=2)
    print(*[process.pid for process in envs._players._processes], flush=True)
    envs.reset(seed=1)
    while True:
        envs.step(np.zeros(4, int))
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=lambda how: how.name)
def test_a_program_that_is_stopped_leaves_no_process(how, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), *sys.path]))}
    program = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
        start_new_session=True,
    )  # fmt: skip
    numbers = list(map(int, program.stdout.readline().split()))
    assert len(numbers) == 2
    time.sleep(0.3)
    if how is signal.SIGINT:
        os.killpg(program.pid, how)  # as Ctrl-C does, to all processes of the terminal
    else:
        program.kill()
    _, said = program.communicate(timeout=240)
    assert wait_for_end(numbers)
    if how is signal.SIGINT:
        assert "KeyboardInterrupt" in said
        assert "Process arena-" not in said


def test_a_program_without_a_main_guard_is_told_what_to_do(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.replace('if __name__ == "__main__":', "if True:"))
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), *sys.path]))}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=env, timeout=120)
    assert done.returncode == 1
    assert "the program must create it under: if __name__ == '__main__':" in done.stderr
