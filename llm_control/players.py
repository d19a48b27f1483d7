"""Agents that act at every step: learned policies and simple vehicles."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from arena import Action, Episode
from arena.errors import EvaluationError, RecordingError
from arena.seeds import episode_rng
from evaluation.suite import EpisodeSetup, Player, Record, TaskSpec
from llm_control.agents.policy_file import Policy, PolicyAgent, loaded
from llm_control.agents.step_agents import STEP_AGENTS, StepAgent
from llm_control.environment import STEPS_PER_TURN, ArenaEnvironment, recording_of
from testbed import Task

ACTS = "(A policy acts at every step; this is no script.)"
"""Logged text in place of a reply."""

POLICY = "policy/"
"""Prefix of a learned policy's name, before its file."""


def play(agent: StepAgent, environment: ArenaEnvironment) -> Record:
    """Let an agent act to the end, after any chosen idle steps."""
    try:
        environment.begin()
        actions = _actions(agent, environment.episode)
        while not environment.episode.done:
            environment.act(ACTS, islice(actions, STEPS_PER_TURN))
        return environment.finish()
    finally:
        environment.close()


def _actions(agent: StepAgent, episode: Episode) -> Iterator[Action]:
    """Yield the agent's actions, each chosen after the previous one."""
    while not episode.done:
        yield agent.act(episode)


class StepPlayer(NamedTuple):
    """Agent of `STEP_AGENTS`, seeded by the episode's seed, task and trial."""

    name: str

    def play(self, setup: EpisodeSetup) -> Record:
        """Play an episode to its end."""
        environment = ArenaEnvironment(setup)
        episode = environment.episode
        rng = episode_rng(episode.seed, f"{episode.task_id}/{self.name}", episode.trial)
        return play(STEP_AGENTS[self.name](rng), environment)

    def describe(self, task: TaskSpec) -> str:
        """Describe the task for the log, instead of a first message."""
        return f"Task {task.id}. {self.name} acts at every step."

    def facts(self) -> dict[str, Any]:
        """Logged facts of the agent."""
        return {}


class PolicyPlayer(NamedTuple):
    """Learned policy; `sha256` is its file's at the start of the run."""

    file: Path
    sha256: str

    @property
    def _policy(self) -> Policy:
        policy = loaded(self.file)
        if policy.sha256 != self.sha256:
            raise EvaluationError(
                f"{self.file}: has changed since the run began; give the new policy a name of its own"
            )
        return policy

    def play(self, setup: EpisodeSetup) -> Record:
        """Play an episode to its end. Raises EvaluationError if the file has changed."""
        return play(PolicyAgent(self._policy, setup.choices.sample_actions), ArenaEnvironment(setup))

    def describe(self, task: TaskSpec) -> str:
        """Describe the task for the log, instead of a first message."""
        seen = ", ".join(self._policy.description.environment.names)
        return f"Task {task.id}. {self.file.name} acts; it observes: {seen}."

    def facts(self) -> dict[str, Any]:
        """Logged facts: file name, hash, and `arena-llm.json`."""
        return self._policy.facts()


def _policy(name: str) -> PolicyPlayer:
    """Load the policy of a name `policy/FILE`. Raises EvaluationError as `load_policy`."""
    file = Path(name.removeprefix(POLICY))
    if "," in str(file):
        # Inspect takes it for the names of several models.
        raise EvaluationError(f"{file}: the path of a policy must have no comma; rename the file")
    return PolicyPlayer(file, loaded(file).sha256)


class _Players(Mapping[str, Callable[[str], Player]]):
    """Step agents, including later registered ones, and learned policies."""

    def __getitem__(self, name: str) -> Callable[[str], Player]:
        if name not in list(self):
            raise KeyError(name)
        return _policy if name.startswith(POLICY) else StepPlayer

    def __iter__(self) -> Iterator[str]:
        return iter((*STEP_AGENTS, POLICY + "FILE"))

    def __len__(self) -> int:
        return len(STEP_AGENTS) + 1


PLAYERS = _Players()
"""Agent factories by name."""


def replayed(setup: EpisodeSetup, record: Any) -> Record:
    """Replay an episode without replies, turn by turn as logged. Raises RecordingError."""
    recording = recording_of(record.get("replay") or record.get("recording"))
    task: Task = setup.task.content
    if not recording.is_of(task.spec):
        raise RecordingError(f"{task.id}: its arena is not the recorded one")
    environment = ArenaEnvironment(setup)
    try:
        environment.begin()
        actions = iter(recording.unpacked()[environment.episode.steps :])
        for turn in record["turns"]:
            environment.act(str(turn["reply"]), (next(actions) for _ in range(int(turn["steps"]))))
        return environment.finish()
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise RecordingError(f"its turns are broken: {error}") from None
    finally:
        environment.close()
