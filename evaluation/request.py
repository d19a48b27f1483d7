"""Evaluation requests: options of `arena-llm eval`, model, and plan."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from arena.errors import ConfigError, EvaluationError
from arena.files import read_text
from arena.packages import installed
from evaluation.capabilities import agents_of, by_name, files_of, is_kind, player, prompts_of
from evaluation.choices.effective import Effective, effective, load_preset, preset_names
from evaluation.log import schema
from evaluation.log.schema import check
from evaluation.prompts import PromptFiles, PromptSet
from evaluation.scale.references import agent_names
from evaluation.suite import Player, Suite, TaskSpec
from evaluation.suites import chosen_tasks

_FAMILIES = (
    (re.compile(r"gpt-|chatgpt-|o\d"), "openai"),
    (re.compile(r"claude-"), "anthropic"),
    (re.compile(r"gemini-"), "google"),
)
"""Providers of bare names by prefix; the ids themselves are never listed."""

_KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}
"""Environment variables of each provider's key; one of them is enough."""


def model_name(suite: Suite, name: str) -> str:
    """Resolve the user's model name to Inspect's `provider/model`. Raises EvaluationError if the provider
    cannot be inferred, its client is not installed, or its key is not set."""
    full = full_name(suite, name)
    provider = full.partition("/")[0]
    if provider == "google" and not installed("google-genai"):
        raise EvaluationError(f"{full} needs google-genai; run: pip install 'arena-llm[google]'")
    keys = _KEYS.get(provider, ())
    if keys and not any(os.environ.get(key) for key in keys):
        raise EvaluationError(f"{full} needs a key: set {keys[0]}, for example: export {keys[0]}=...")
    return full


def full_name(suite: Suite, name: str) -> str:
    """Resolve the model name without checking the key. Raises EvaluationError for an unknown provider."""
    if (own := _short_name(suite, name)) is not None:
        return own
    provider, slash, model = name.partition("/")
    if not slash:
        provider = next((p for pattern, p in _FAMILIES if pattern.match(name)), "")
        model = name
    if not provider or not model:
        raise EvaluationError(
            f"unknown model {name!r}: write provider/model as Inspect AI does, such as openai/NAME, "
            f"or use an offline agent: {_offline(suite)}"
        )
    full = f"{provider}/{model}"
    if provider == suite.name and not _is_agent(suite, model):
        raise EvaluationError(f"unknown agent {full!r}: the offline agents are {_offline(suite)}")
    return full


def _short_name(suite: Suite, name: str) -> str | None:
    """Resolve `policy:FILE` if the suite has such agents; None for other names."""
    kind, _, rest = name.partition(":")
    known = rest and "/" not in kind and any(is_kind(each, kind) for each in agent_names(suite))
    return f"{suite.name}/{kind}/{rest}" if known else None


def _is_agent(suite: Suite, name: str) -> bool:
    """Return whether a name denotes an agent, including forms such as `replay/FOLDER`."""
    if by_name(agents_of(suite), name) is not None:
        return True
    # Self-playing agents are imported with their dependencies.
    return by_name(dict.fromkeys(agent_names(suite), True), name) is not None


def _offline(suite: Suite) -> str:
    return ", ".join(f"{suite.name}/{agent}" for agent in agent_names(suite))


def player_of(suite: Suite, model: str, choices: Any) -> Player | None:
    """Create the self-playing agent of a full name; None for models. Raises EvaluationError as `player` does,
    and if the choices are for another kind."""
    provider, _, name = model.partition("/")
    found = player(suite, name) if provider == suite.name else None
    if provider == suite.name and choices.agent != "direct":
        raise EvaluationError(f"{model}: not a language model, which agent = {choices.agent} needs")
    if found is None and choices.acts:
        raise EvaluationError(
            f"{model}: replies = steps is for agents that play whole episodes by themselves"
        )
    if found is not None and not choices.acts:
        raise EvaluationError(
            f"{model}: it plays whole episodes and writes no replies; use arena-llm eval or -T replies=steps"
        )
    return found


@dataclass(frozen=True)
class EvalRequest:
    """Run of one model on tasks of a suite.

    `protocol` is a preset's name or a file's path; `choices` are options that override it; `folder` holds
    task files, `prompt` is a file that replaces the system prompt, `texts` a folder of prompts.
    """

    suite: Suite
    model: str
    folder: Path | None = None
    prompt: Path | None = None
    protocol: str | None = None
    choices: Mapping[str, Any] = field(default_factory=dict)
    texts: Path | None = None

    @cached_property
    def effective(self) -> Effective:
        """Combine the choices with their origins. Raises ConfigError as the function `effective`."""
        given = effective(self.suite, self.protocol, self._options)
        if self.player is None:
            return given
        forced = [name for name in self._options if name not in self.long(self.choices)]
        return given._replace(origins={**given.origins, **dict.fromkeys(forced, "agent")})

    @cached_property
    def player(self) -> Player | None:
        """Create the self-playing agent; None for models."""
        if not self.model:
            return None
        provider, _, name = full_name(self.suite, self.model).partition("/")
        return player(self.suite, name) if provider == self.suite.name else None

    def long(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Expand short option names."""
        return {self.suite.choices.short_names.get(name, name): value for name, value in options.items()}

    @cached_property
    def _options(self) -> Mapping[str, Any]:
        """Filter the choices; a self-playing agent only gets suitable ones.

        A preset's choices that have no effect on such an agent are reset to their defaults, unless `choices`
        name them. Raises ConfigError for options that have no effect.
        """
        if self.player is None:
            return self.choices
        kind, given = self.suite.choices, self.long(self.choices)
        for name, value in given.items():
            wrong_replies = name == "replies" and value != "steps"
            if name in kind.model_fields and (name not in kind.for_players or wrong_replies):
                raise ConfigError(
                    f"option {name}: does not apply to an agent that plays episodes by itself; remove it"
                )
        default = kind().model_dump()
        preset = load_preset(self.suite, self.protocol).choices if self.protocol is not None else {}
        reset = {name: default[name] for name in preset if name not in kind.for_players}
        return {**reset, **kind.player_defaults, **given}

    def without_effect(self) -> list[str]:
        """Preset choices without effect on a self-playing agent."""
        if self.player is None or self.protocol is None:
            return []
        kind = self.suite.choices
        own, default = (
            kind(**load_preset(self.suite, self.protocol).choices).model_dump(),
            kind().model_dump(),
        )
        return [name for name in own if name not in kind.for_players and own[name] != default[name]]

    @cached_property
    def tasks(self) -> tuple[TaskSpec, ...]:
        """Select the tasks. Raises ConfigError if none exist."""
        return chosen_tasks(self.suite, self.effective.choices, self.folder)

    @cached_property
    def prompts(self) -> PromptSet:
        """Load the texts of the run. Raises ConfigError for an unusable file."""
        return prompts_of(self.suite, self.effective.choices, PromptFiles(self.prompt, self.texts))

    def refuse_early(self, *, key: bool = True) -> None:
        """Check options, tasks, texts and `key` before slow imports. Raises as `tasks` and `prompts`, and
        EvaluationError as `model_name`."""
        (model_name if key else full_name)(self.suite, self.model)
        _ = self.tasks, self.player is None and self.prompts

    def task_args(self) -> dict[str, Any]:
        """Arguments of the Inspect task, with paths valid in any folder."""
        values = {name: getattr(self.effective.choices, name) for name in self.suite.choices.paths}
        return {
            "protocol": self._located(),
            "folder": str(self.folder.resolve()) if self.folder else None,
            "prompt": str(self.prompt.resolve()) if self.prompt else None,
            **({"prompts": str(self.texts.resolve())} if self.texts else {}),
            **self._options,
            **{name: value for name, value in values.items() if isinstance(value, str)},
        }

    def _located(self) -> str | None:
        """Keep a preset's name; make a file's path absolute."""
        name = self.protocol
        is_file = name is not None and name not in preset_names(self.suite)
        return str(Path(name).resolve()) if name is not None and is_file else name

    def plan(self) -> dict[str, Any]:
        """Plan the run: model, policy, prompts, tasks by hash, and every choice."""
        sha256 = self.player.facts().get("sha256") if self.player else None
        return {
            "model": full_name(self.suite, self.model),
            **({"policy": sha256} if sha256 else {}),
            "prompts": self.prompts.sha256,
            "tasks": {task.id: task.sha256 for task in self.tasks},
            "protocol": self.effective.choices.planned(),
            **({"files": dict(files)} if (files := files_of(self.suite, self.effective.choices)) else {}),
        }

    @cached_property
    def fingerprint(self) -> str:
        """Hash the command and its files, so that only equal runs resume."""
        facts = {"suite": self.suite.name, **self.plan()}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


Plan = Mapping[str, Any]
"""Plan of a run."""


def settle_plan(path: Path, request: EvalRequest) -> Plan:
    """Read the plan in a file, creating it if missing. An older plan is never changed. Raises ConfigError for
    a file that is no plan, EvaluationError if it cannot be written."""
    if path.exists():
        return read_plan(path)
    plan = request.plan()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(json.dumps(plan, indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise EvaluationError(f"{path}: the plan cannot be written ({error.strerror or error})") from None
    return plan


def read_plan(path: Path) -> Plan:
    """Read a plan. Raises ConfigError, with file:line, if it is none."""
    text = read_text(path)
    try:
        plan = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise ConfigError(f"{path}:{line}: not a plan, as it is not JSON; --plan writes a new file") from None
    try:
        check(schema.Plan, plan, f"{path}:1: not a plan")
    except EvaluationError as error:
        raise ConfigError(f"{error}; --plan writes a new file") from None
    return plan


def deviations(planned: Plan, done: Plan) -> Iterator[str]:
    """Yield deviations of a run from its plan, one clause each."""
    for part in ("model", "policy", "prompts"):
        if part in planned and part in done and planned[part] != done[part]:
            yield f"{part}: {_short(planned[part])} was planned, {_short(done[part])} was used"
    yield from _differences("protocol", planned["protocol"], done["protocol"])
    yield from _differences("file", planned.get("files") or {}, done.get("files") or {})
    yield from _differences("task", planned["tasks"], done["tasks"])
    both = [task for task in planned["tasks"] if task in done["tasks"]]
    if both != [task for task in done["tasks"] if task in planned["tasks"]]:
        yield "tasks: in a different order than planned"


def _differences(part: str, planned: Mapping[str, Any], done: Mapping[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys([*planned, *done]):
        if key not in done:
            yield f"{part} {key}: planned, but not used"
        elif key not in planned:
            yield f"{part} {key}: not planned"
        elif planned[key] != done[key]:
            yield f"{part} {key}: {_short(planned[key])} was planned, {_short(done[key])} was used"


def _short(value: Any) -> str:
    """Shorten a hash to its first characters; other values stay."""
    text = value if isinstance(value, str) else json.dumps(value)
    return f"{text[:12]}..." if len(text) == 64 and " " not in text else text
