"""Outputs of Inspect AI's mock model, with a usage: without one, a tokenizer is fetched to count."""

from inspect_ai.model import ModelOutput, ModelUsage


def said(text: str, tokens: int = 0) -> ModelOutput:
    """A reply in words."""
    return _counted(ModelOutput.from_content("mockllm/model", text), tokens)


def called(tool: str, **arguments: object) -> ModelOutput:
    """A reply that calls a tool."""
    return _counted(ModelOutput.for_tool_call("mockllm/model", tool, arguments), 0)


def _counted(output: ModelOutput, tokens: int) -> ModelOutput:
    output.usage = ModelUsage(output_tokens=tokens, total_tokens=tokens)
    return output
