"""Let RLlib's PPO learn an arena on a Ray cluster: `python examples/rllib_ppo.py arena.yaml`."""

import argparse
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from arena.errors import ArenaError, ConfigError, EvaluationError
from arena.processes import cores


def main() -> None:
    """Train for so many iterations and print what each came to; Ctrl-C keeps what was learned."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", help="a task file")
    parser.add_argument(
        "--ray-address", "--address", help="HOST:PORT of a Ray cluster, or auto; this machine where left out"
    )
    parser.add_argument("--env-runners", type=int, default=2, help="processes that play")
    parser.add_argument("--iterations", type=int, default=100, help="a resumed training counts on")
    parser.add_argument("--batch", type=int, default=4000, help="steps played in each iteration")
    parser.add_argument("--checkpoint", type=Path, help="folder for what was learned, after each iteration")
    parser.add_argument("--resume", action="store_true", help="go on from what is in --checkpoint")
    given = parser.parse_args()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        _check(given)
        _train(given)
    except ArenaError as error:
        sys.exit(f"rllib_ppo: {error}")
    except KeyboardInterrupt:
        print(f"rllib_ppo: stopped; {_kept(given.checkpoint)}", file=sys.stderr)
        sys.exit(130)


def _check(given: argparse.Namespace) -> None:
    """Refuse what would fail in Ray after minutes, or after the training."""
    for name, least in (("env_runners", 0), ("iterations", 1), ("batch", 1)):
        if (value := getattr(given, name)) < least:
            raise ConfigError(f"--{name.replace('_', '-')}: got {value}, expected {least} or more")
    if given.checkpoint is None:
        if given.resume:
            raise ConfigError("--resume: name the folder of what was learned by --checkpoint")
        return
    there = _learned(given.checkpoint)
    if given.resume and not there:
        raise ConfigError(f"--checkpoint {given.checkpoint}: holds none to go on from; leave out --resume")
    if there and not given.resume:
        raise ConfigError(f"--checkpoint {given.checkpoint}: holds one already; go on from it by --resume")
    try:
        given.checkpoint.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=given.checkpoint).close()
    except OSError as error:
        raise ConfigError(
            f"--checkpoint {given.checkpoint}: cannot be written to ({error.strerror})"
        ) from None


def _train(given: argparse.Namespace) -> None:
    from arena.gym.rllib import ppo

    config = ppo(given.config, env_runners=given.env_runners).training(
        train_batch_size_per_learner=given.batch, minibatch_size=min(128, given.batch)
    )
    import ray

    try:
        _join(ray, given)
        _iterate(config.build_algo(), given)
    finally:
        ray.shutdown()


def _join(ray, given: argparse.Namespace) -> None:
    """A cluster that has a core for each env runner: RLlib would wait for one without end."""
    from evaluation.engines.ray import check_answers

    quiet = {"log_to_driver": False, "logging_level": "error"}
    if not given.ray_address:
        ray.init("local", num_cpus=max(cores(), given.env_runners), include_dashboard=False, **quiet)
        return
    check_answers(given.ray_address)
    try:
        ray.init(given.ray_address, **quiet)
    except (ConnectionError, RuntimeError, ray.exceptions.RayError) as error:
        reason = str(error).strip().splitlines()[0]
        raise EvaluationError(f"--ray-address {given.ray_address}: no Ray cluster ({reason})") from None
    there = int(ray.cluster_resources().get("CPU", 0))
    if there < given.env_runners:
        raise ConfigError(f"--env-runners: got {given.env_runners}, and the cluster has {there} cores")


def _iterate(algorithm, given: argparse.Namespace) -> None:
    try:
        if given.resume:
            algorithm.restore_from_path(str(_learned(given.checkpoint)))
        while algorithm.iteration < given.iterations:
            played = algorithm.train()["env_runners"]
            reward, steps = played.get("episode_return_mean"), played["num_env_steps_sampled_lifetime"]
            told = "no episode has ended" if reward is None else f"mean total reward {reward:.3f}"
            print(f"iteration {algorithm.iteration}: {steps:.0f} steps, {told}", flush=True)
            if given.checkpoint:
                _keep(algorithm, given.checkpoint)
        print(_kept(given.checkpoint))
    finally:
        algorithm.stop()
        # RLlib makes a folder in ~/ray_results for each algorithm, and writes nothing there.
        with suppress(OSError):
            os.rmdir(algorithm.logdir)


def _keep(algorithm, folder: Path) -> None:
    """Save under the iteration's number; the one before goes only once this is whole."""
    before, unfinished = _learned(folder), folder / "unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    algorithm.save_to_path(str(unfinished.resolve()))
    unfinished.rename(folder / f"{algorithm.iteration:06}")
    if before:
        shutil.rmtree(before)


def _learned(folder: Path) -> Path | None:
    """The last checkpoint in a folder."""
    return max(folder.resolve().glob("[0-9]" * 6), default=None)


def _kept(folder: Path | None) -> str:
    """Where what was learned is, in words."""
    if folder is None:
        return "nothing is kept, as no --checkpoint was given"
    learned = _learned(folder)
    return f"learned: {learned}; --resume goes on from there" if learned else "nothing is learned yet"


if __name__ == "__main__":
    main()
