"""Agents that act at every step of an episode, without messages: learned policies, and simple vehicles."""

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
"""What a log has in the place of a reply."""

POLICY = "policy/"
"""What the name of a learned policy begins with as an agent of the arena; its file follows."""


def play(agent: StepAgent, environment: ArenaEnvironment) -> Record:
    """Let an agent act to the end, after the idle steps of the choices if there are any."""
    try:
        environment.begin()
        actions = _actions(agent, environment.episode)
        while not environment.episode.done:
            environment.act(ACTS, islice(actions, STEPS_PER_TURN))
        return environment.finish()
    finally:
        environment.close()


def _actions(agent: StepAgent, episode: Episode) -> Iterator[Action]:
    """The agent's actions, each chosen after the one before was taken."""
    while not episode.done:
        yield agent.act(episode)


class StepPlayer(NamedTuple):
    """An agent of `STEP_AGENTS`; its randomness follows from the episode's seed, task and trial."""

    name: str

    def play(self, setup: EpisodeSetup) -> Record:
        """Play an episode to its end."""
        environment = ArenaEnvironment(setup)
        episode = environment.episode
        rng = episode_rng(episode.seed, f"{episode.task_id}/{self.name}", episode.trial)
        return play(STEP_AGENTS[self.name](rng), environment)

    def describe(self, task: TaskSpec) -> str:
        """What a log has in the place of the first message."""
        return f"Task {task.id}. {self.name} acts at every step."

    def facts(self) -> dict[str, Any]:
        """What a log keeps of it."""
        return {}


class PolicyPlayer(NamedTuple):
    """A learned policy; `sha256` is that of its file when the run began."""

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
        """Play an episode to its end. Raises EvaluationError if the file has changed since the run began."""
        return play(PolicyAgent(self._policy, setup.choices.sample_actions), ArenaEnvironment(setup))

    def describe(self, task: TaskSpec) -> str:
        """What a log has in the place of the first message."""
        seen = ", ".join(self._policy.description.environment.names)
        return f"Task {task.id}. {self.file.name} acts; it observes: {seen}."

    def facts(self) -> dict[str, Any]:
        """What a log keeps of it: name and hash of the file, and its `arena-llm.json`."""
        return self._policy.facts()


def _policy(name: str) -> PolicyPlayer:
    """The policy of a name `policy/FILE`. Raises EvaluationError as `load_policy` does."""
    file = Path(name.removeprefix(POLICY))
    if "," in str(file):
        # Inspect takes it for the names of several models.
        raise EvaluationError(f"{file}: the path of a policy must have no comma; rename the file")
    return PolicyPlayer(file, loaded(file).sha256)


class _Players(Mapping[str, Callable[[str], Player]]):
    """Agents of steps, whoever registered them and when, and learned policies."""

    def __getitem__(self, name: str) -> Callable[[str], Player]:
        if name not in list(self):
            raise KeyError(name)
        return _policy if name.startswith(POLICY) else StepPlayer

    def __iter__(self) -> Iterator[str]:
        return iter((*STEP_AGENTS, POLICY + "FILE"))

    def __len__(self) -> int:
        return len(STEP_AGENTS) + 1


PLAYERS = _Players()
"""What makes each agent, by its name."""


def replayed(setup: EpisodeSetup, record: Any) -> Record:
    """The episode of an agent without replies again, turn by turn as logged. Raises RecordingError."""
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
