"""The texts that a model is shown, in Markdown files beside this module."""

from evaluation.prompts import VARIABLES, Prompt, PromptSet, load_prompt, prompt_set

__all__ = ["VARIABLES", "Prompt", "PromptSet", "load_prompt", "prompt_set"]
