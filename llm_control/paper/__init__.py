"""Doing as the paper did: its texts as a folder of prompts, and a list of what still differs."""

PAPER = "arXiv 2410.23242"

CONVERT = (
    "`arena-llm prompts --from CHECKOUT --out DIR` converts a checkout of "
    "github.com/Kinds-of-Intelligence-CFI/LLM-AAI or of github.com/tpYu0/llm-aai-supporting-materials"
)
"""How a user gets the texts, which are not shipped."""
