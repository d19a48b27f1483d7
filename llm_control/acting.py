"""Learned policies in an evaluation: the protocol under which they act, and how they play an episode."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, ModelOutput
from inspect_ai.solver import TaskState

from arena import Action, Episode
from arena.errors import ConfigError, EvaluationError
from evaluation.choices.effective import FOR_POLICIES, SHORT_NAMES
from evaluation.choices.presets import load_preset
from evaluation.models import policy_file
from llm_control.agents.policy import PolicyAgent
from llm_control.agents.policy_file import Policy, loaded
from llm_control.agents.step_agents import StepAgent
from llm_control.choices import Protocol
from llm_control.play import EpisodeRecord, Play, Turn
from testbed import Task

STEPS_PER_TURN = 50
"""Steps that are one turn of a policy in log and report, 3 s."""

ACTS = "(A policy acts at every step; this is no script.)"
"""What a log has in the place of a reply."""

_DEFAULTS = Protocol().model_dump()


def policy_choices(preset: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that make a protocol one for a policy, which go over its preset.

    A preset's choices that have no effect on a policy are as if left out, and so are its idle steps: a policy
    begins as in training, unless `options` say otherwise. Raises ConfigError for other options that have no
    effect.
    """
    given = {SHORT_NAMES.get(name, name): value for name, value in options.items()}
    for name, value in given.items():
        if name in _DEFAULTS and (name not in FOR_POLICIES or (name == "replies" and value != "steps")):
            raise ConfigError(
                f"option {name}: has no effect on a policy, which acts at every step by sensors of its own; "
                "leave it out"
            )
    from_preset = load_preset(preset).choices if preset is not None else {}
    reset = {name: _DEFAULTS[name] for name in from_preset if name not in FOR_POLICIES}
    forced = {"replies": "steps", "max_scripts": None, "initial_idle_steps": ()}
    return {**reset, **forced, **given}


def without_effect(preset: str | None) -> list[str]:
    """The names of a preset's choices that have no effect on a policy and differ from the defaults."""
    choices = load_preset(preset).choices if preset is not None else {}
    own = Protocol(**choices).model_dump() if choices else {}
    return [name for name in own if name not in FOR_POLICIES and own[name] != _DEFAULTS[name]]


def check_policy(model: str, protocol: Protocol) -> Policy | None:
    """The policy that a model's name stands for, loaded; None for other models.

    Raises EvaluationError as `load_policy` does, where a policy is to write scripts, and where another model
    is to act at every step.
    """
    file = policy_file(model)
    if file is None:
        if protocol.acts or protocol.sample_actions:
            choice = "replies = steps" if protocol.acts else "sample_actions"
            raise EvaluationError(f"{model}: {choice} is for learned policies only (policy:FILE)")
        return None
    if not protocol.acts:
        raise EvaluationError(
            f"{model}: a policy writes no scripts; use arena-llm eval or -T replies=steps -T max_scripts=none"
        )
    if "," in str(file):
        # Inspect takes it for the names of several models.
        raise EvaluationError(f"{file}: the path of a policy must have no comma; rename the file")
    return loaded(file)


def refuse_without_effect(model: str, given: Mapping[str, Any]) -> None:
    """Raise ConfigError for an option of `eval` that has no effect on a policy; None is one left out."""
    for name, value in given.items():
        if policy_file(model) is not None and value is not None:
            raise ConfigError(
                f"--{name.replace('_', '-')}: has no effect on a policy, which is asked nothing and costs "
                "nothing; leave it out"
            )


def play_policy(policy: Policy, task: Task, trial: int, protocol: Protocol) -> EpisodeRecord:
    """Let a policy play an episode to its end, after the idle steps of the protocol if it has any."""
    episode = Episode(task.spec, task_id=task.id, seed=protocol.seed, trial=trial)
    try:
        play = Play(episode, None, protocol)
        play.begin()
        actions = _actions(PolicyAgent(policy, protocol.sample_actions), episode)
        while play.wants_reply:
            play.act(ACTS, islice(actions, STEPS_PER_TURN))
        return play.finish()
    finally:
        episode.close()


def _actions(agent: StepAgent, episode: Episode) -> Iterator[Action]:
    """The agent's actions, each chosen when the one before was taken."""
    while not episode.done:
        yield agent.act(episode)


def opening(task: Task, policy: Policy) -> list[ChatMessage]:
    """What the log has in the place of a conversation's beginning."""
    seen = ", ".join(policy.description.environment.names)
    return [ChatMessageUser(content=f"Task {task.id}. {policy.path.name} acts; it observes: {seen}.")]


def tell(state: TaskState, record: EpisodeRecord, policy: Policy, model: str) -> None:
    """Put a policy's episode into what the log keeps of it; `model` is its name."""
    for turn in record.turns:
        state.messages += [ChatMessageAssistant(content=turn.reply), ChatMessageUser(content=_told(turn))]
    state.output = ModelOutput.from_content(model, ACTS)
    state.metadata["policy"] = policy.facts()


def _told(turn: Turn) -> str:
    ended = f" The episode ended: {turn.outcome}." if turn.done else ""
    return (
        f"{turn.steps} steps: health {turn.health:.1f}, reward {turn.reward:+.3f}, in total "
        f"{turn.total_reward:+.3f}.{ended}"
    )
