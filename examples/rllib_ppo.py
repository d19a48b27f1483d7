"""Let RLlib's PPO learn an arena on a Ray cluster: `python examples/rllib_ppo.py arena.yaml`."""

import argparse
import os
import sys

from arena.errors import ArenaError


def main() -> None:
    """Train for so many iterations and print what each came to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", help="a task file")
    parser.add_argument("--address", help="HOST:PORT of a Ray cluster, or auto; this machine where left out")
    parser.add_argument("--env-runners", type=int, default=2, help="processes that play")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--batch", type=int, default=4000, help="steps played in each iteration")
    parser.add_argument("--checkpoint", help="folder for what was learned")
    given = parser.parse_args()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        from arena.rllib import ppo

        config = ppo(given.config, env_runners=given.env_runners)
        _train(config.training(train_batch_size_per_learner=given.batch), given)
    except ArenaError as error:
        sys.exit(f"rllib_ppo: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _train(config, given: argparse.Namespace) -> None:
    import ray

    ray.init(given.address or "local", include_dashboard=False if not given.address else None)
    algorithm = config.build_algo()
    try:
        for number in range(1, given.iterations + 1):
            played = algorithm.train()["env_runners"]
            reward, steps = played.get("episode_return_mean"), played["num_env_steps_sampled_lifetime"]
            print(f"iteration {number}: {steps:.0f} steps, mean total reward {reward}", flush=True)
        if given.checkpoint:
            print(f"learned: {algorithm.save_to_path(os.path.abspath(given.checkpoint))}")
    finally:
        algorithm.stop()
        ray.shutdown()


if __name__ == "__main__":
    main()
