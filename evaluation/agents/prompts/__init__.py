"""The agents' texts, in Markdown files beside this module."""

from dataclasses import replace

from evaluation.choices.run_choices import RunChoices
from evaluation.prompts import PromptSet, Variables, load_prompt

VARIABLES: Variables = {
    "react": ("action",),
    "plan_execute": ("action",),
    "hypothesizer": ("action",),
    "action_text": (),
    "action_tools": (),
    "plan": ("number", "earlier", "share"),
    "plan_step": ("number", "step", "earlier", "left"),
    "plan_so_far": ("earlier",),
    "memory": ("memory",),
    "reflect": ("reply", "memory"),
    "summarise": ("memory", "entries", "tokens"),
}
"""By name of a text: the variables that it is filled with.

`react`, `plan_execute` and `hypothesizer` follow the system text of a run with that agent; `action` is how
an action is written, one of the `action_` texts. `plan` asks for step `number` of a plan: `earlier` are the
steps before it with their results, `share` the replies that a step may take. `plan_step` follows the last
observation of a `step`, for which `left` replies are left, `plan_so_far` a question that is asked only once.
`memory` follows the last observation of a Hypothesizer, `reflect` what came of its last `reply`; `memory` is
its memory in JSON. `summarise` asks for at most `entries` entries and `tokens` tokens of it.
"""


def with_agent_texts(prompts: PromptSet, choices: RunChoices) -> PromptSet:
    """The texts of a run and, if an agent plays in it, those of the agents. Raises ConfigError."""
    if choices.agent == "direct":
        return prompts
    own = {name: load_prompt(__package__, name, VARIABLES) for name in VARIABLES}
    if (module := choices.own_agent) is not None:
        texts: Variables = module.TEXTS
        own |= {name: load_prompt(f"{module.__name__}.prompts", name, texts) for name in texts}
    return replace(prompts, prompts={**prompts.prompts, **own})
