"""The paper's texts as found in its public material, and how they become texts of ours."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evaluation.prompts import Prompt, PromptSet, check_variables
from evaluation.prompts.layout import Layout
from llm_control.prompts import OPTIONAL, VARIABLES

PICTURES = "${pictures}"


@dataclass(frozen=True, slots=True)
class Ingredients:
    """The pieces of the paper's messages, as templates (`$$` for a dollar sign); empty if not found.

    `background` is all that precedes `send_off`, which ends with the line before the first picture; `label`
    precedes each picture; `health` follows the pictures and has the variable `$health`; `invalid` precedes
    them after a reply that is no script; `intro` and `title` begin the example of Experiment 2, and `user`
    and `assistant` name who speaks in it. `source` says what they were read from.
    """

    background: str
    send_off: str
    label: str
    health: str
    invalid: str = ""
    intro: str = ""
    title: str = "Example:\n"
    user: str = "user: "
    assistant: str = "assistant: "
    source: str = ""

    def completed(self, other: "Ingredients | None") -> "Ingredients":
        """The same, with what it lacks from another."""
        missing = ("label", "health", "invalid", "intro")
        return replace(
            self, **{name: getattr(self, name) or getattr(other, name) for name in missing if other}
        )

    def prompts(self) -> PromptSet:
        """As texts of ours: one message of the user before the first reply, as the paper's program sends it.

        Raises ConfigError if a text has a variable that it may not have.
        """
        layout = Layout(roles="user", demonstration="inside", notes=False, source=self.source)
        found = {name: _prompt(name, text) for name, text in self._texts().items() if text}
        return PromptSet(found, layout)

    def _texts(self) -> Mapping[str, str]:
        stale = self.health.replace("$health", "$first_health")
        return {
            "system": self.background,
            "first_turn": f"{self.send_off}{PICTURES}{stale}",
            "turn": f"{PICTURES}{self.health}",
            "invalid_script": f"{self.invalid}{PICTURES}{self.health}" if self.invalid else "",
            "picture": self.label,
            "demonstration_intro": self.intro,
            "demonstration_title": self.title,
            # The program drops the first text of the example, and with it the label of its first picture.
            "demonstration_first": f"$picture{PICTURES}{stale}",
            "demonstration_user": self.user,
            "demonstration_assistant": self.assistant,
            "demonstration_end": "\n",
        }


def _prompt(name: str, text: str) -> Prompt:
    prompt = Prompt(name, text, {**VARIABLES, **OPTIONAL}[name])
    check_variables(name, prompt)
    return prompt


def template(text: str) -> str:
    """A text as a template: a dollar sign is doubled."""
    return text.replace("$", "$$")
