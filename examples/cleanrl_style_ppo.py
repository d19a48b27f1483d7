"""Proximal policy optimisation in one file, on many arenas at once.

    python examples/cleanrl_style_ppo.py --total-steps 1000000 --num-envs 16 --levels 1-3 --observation camera

It needs PyTorch, and prints a line per update: steps, the episodes' mean reward and share passed, and speed.
The loss is that of Schulman et al. 2017 (arXiv 1707.06347), the values of the options are common ones.
"""

import sys
import time
from argparse import ArgumentParser, RawTextHelpFormatter
from collections import deque
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from arena import ArenaError
from arena.gym.vector_env import ArenaVectorEnv
from testbed.curriculum import Generated


@dataclass
class Options:
    """Everything that can be chosen; each field is an option of the command."""

    levels: str = "1"
    observation: str = "rays"
    total_steps: int = 1_000_000
    num_envs: int = 16
    workers: int = 2
    num_steps: int = 128
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 2.5e-4
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    value: float = 0.5
    max_norm: float = 0.5
    seed: int = 1
    save: str = ""


def options_from_command() -> Options:
    """The options of the command line."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawTextHelpFormatter)
    for field in fields(Options):
        name = "--" + field.name.replace("_", "-")
        parser.add_argument(name, type=type(field.default), default=field.default)
    return Options(**vars(parser.parse_args()))


class Agent(nn.Module):
    """A policy and a value over one body: convolutions for pictures, else two layers."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.is_picture = len(shape) == 3
        if self.is_picture:
            convolutions = nn.Sequential(
                *(nn.Conv2d(shape[2], 16, 8, 4), nn.ReLU(), nn.Conv2d(16, 32, 4, 2), nn.ReLU(), nn.Flatten())
            )
            size = convolutions(torch.zeros(1, shape[2], *shape[:2])).shape[1]
            self.body = nn.Sequential(convolutions, nn.Linear(size, 256), nn.ReLU())
        else:
            self.body = nn.Sequential(nn.Linear(shape[0], 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh())
        self.policy, self.value = nn.Linear(256, 9), nn.Linear(256, 1)
        # At the start all actions are nearly equally likely.
        nn.init.orthogonal_(self.policy.weight, 0.01)

    def forward(self, seen: Tensor) -> tuple[Categorical, Tensor]:
        """The distribution of actions, and the values (n,), of n observations."""
        inputs = seen.permute(0, 3, 1, 2).float() / 255 if self.is_picture else seen
        features = self.body(inputs)
        return Categorical(logits=self.policy(features)), self.value(features).squeeze(-1)


@dataclass
class Batch:
    """What was played: arrays (steps, environments, ...); `advantages` are filled in by `estimate`."""

    seen: Tensor
    actions: Tensor
    log_probs: Tensor
    rewards: Tensor
    ends: Tensor
    values: Tensor
    advantages: Tensor

    @classmethod
    def empty(cls, steps: int, envs: int, first: Tensor) -> "Batch":
        """Room for so many steps of observations like `first`."""
        rows = [torch.zeros(steps, envs) for _ in range(6)]
        return cls(torch.zeros((steps, *first.shape), dtype=first.dtype), *rows)

    def estimate(self, next_value: Tensor, gamma: float, gae_lambda: float) -> None:
        """Generalised advantage estimation (Schulman et al. 2015, arXiv 1506.02438)."""
        following, advantage = next_value, torch.zeros_like(next_value)
        for step in reversed(range(len(self.rewards))):
            goes_on = 1 - self.ends[step]
            error = self.rewards[step] + gamma * following * goes_on - self.values[step]
            advantage = error + gamma * gae_lambda * goes_on * advantage
            self.advantages[step], following = advantage, self.values[step]


class Player:
    """Plays all arenas with an agent, and remembers how the last hundred episodes ended."""

    def __init__(self, envs: ArenaVectorEnv, agent: Agent, options: Options) -> None:
        self.envs, self.agent, self.options = envs, agent, options
        self.seen = torch.as_tensor(envs.reset(seed=options.seed)[0])
        self.totals = np.zeros(envs.num_envs)
        self.rewards: deque[float] = deque(maxlen=100)
        self.passed: deque[bool] = deque(maxlen=100)

    @torch.no_grad()
    def play(self) -> Batch:
        """`num_steps` of every arena."""
        batch = Batch.empty(self.options.num_steps, self.envs.num_envs, self.seen)
        for step in range(self.options.num_steps):
            chosen, value = self.agent(self.seen)
            action = chosen.sample()
            batch.seen[step], batch.actions[step], batch.values[step] = self.seen, action, value
            batch.log_probs[step] = chosen.log_prob(action)
            seen, rewards, terminated, truncated, infos = self.envs.step(action.numpy())
            self._count(rewards, terminated | truncated, infos)
            for cut in np.flatnonzero(truncated & ~terminated):
                # The episode would have gone on: what it was worth is part of the reward.
                last = torch.as_tensor(infos["final_obs"][cut])[None]
                rewards[cut] += self.options.gamma * self.agent(last)[1].item()
            batch.rewards[step] = torch.as_tensor(rewards)
            batch.ends[step] = torch.as_tensor(terminated | truncated)
            self.seen = torch.as_tensor(seen)
        batch.estimate(self.agent(self.seen)[1], self.options.gamma, self.options.gae_lambda)
        return batch

    def _count(self, rewards: np.ndarray, ended: np.ndarray, infos: dict) -> None:
        self.totals += rewards
        for number in np.flatnonzero(ended):
            self.rewards.append(self.totals[number])
            self.passed.append(bool(infos["final_info"]["is_success"][number]))
        self.totals[ended] = 0


def learn(agent: Agent, optimiser: torch.optim.Optimizer, batch: Batch, options: Options) -> None:
    """One update from what was played."""
    targets = (batch.advantages + batch.values).flatten()
    seen, actions, log_probs, advantages = (
        each.flatten(0, 1) for each in (batch.seen, batch.actions, batch.log_probs, batch.advantages)
    )
    for _ in range(options.epochs):
        for part in torch.randperm(len(targets)).chunk(options.minibatches):
            chosen, values = agent(seen[part])
            ratio = (chosen.log_prob(actions[part]) - log_probs[part]).exp()
            advantage = (advantages[part] - advantages[part].mean()) / (advantages[part].std() + 1e-8)
            clipped = ratio.clamp(1 - options.clip, 1 + options.clip)
            loss = -torch.min(ratio * advantage, clipped * advantage).mean()
            loss += options.value * 0.5 * (values - targets[part]).square().mean()
            loss -= options.entropy * chosen.entropy().mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), options.max_norm)
            optimiser.step()


def main() -> None:
    """Train, print how it goes, and save the agent's weights where asked to."""
    options = options_from_command()
    torch.manual_seed(options.seed)
    # The networks are small, and the cores are for the arenas.
    torch.set_num_threads(1)
    envs = ArenaVectorEnv(
        options.num_envs,
        Generated(options.levels),
        workers=options.workers,
        observation=options.observation,
        autoreset_mode="SAME_STEP",
    )
    agent = Agent(envs.single_observation_space.shape)
    optimiser = torch.optim.Adam(agent.parameters(), lr=options.learning_rate, eps=1e-5)
    player, began, per_update = (
        Player(envs, agent, options),
        time.time(),
        options.num_envs * options.num_steps,
    )
    for done in range(per_update, options.total_steps + 1, per_update):
        learn(agent, optimiser, player.play(), options)
        reward, passed = np.mean(player.rewards or [np.nan]), np.mean(player.passed or [np.nan])
        speed = f"steps/s {done / (time.time() - began):.0f}"
        print(f"steps {done} reward {reward:.3f} passed {passed:.2f} {speed}", flush=True)
    envs.close()
    if options.save:
        torch.save(agent.state_dict(), options.save)


if __name__ == "__main__":
    try:
        main()
    except ArenaError as error:
        sys.exit(f"error: {error}")
