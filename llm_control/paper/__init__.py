"""Reproduction of the paper: its texts as prompts, and remaining differences."""

PAPER = "arXiv 2410.23242"

CONVERT = (
    "`arena-llm prompts --from CHECKOUT --out DIR` converts a checkout of "
    "github.com/Kinds-of-Intelligence-CFI/LLM-AAI or of github.com/tpYu0/llm-aai-supporting-materials"
)
"""Instructions for obtaining the texts, which are not shipped."""
