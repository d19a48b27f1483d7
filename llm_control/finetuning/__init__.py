"""Training examples: a picture of a random arena, and the ideal reply to it.

They are made as for the fine-tuned GPT-4o of the paper (arXiv 2410.23242, supporting materials,
`exploratory_experiments/finetuning/method.md`): single pictures of random arenas with one green or yellow
ball in view and random things around it. Half of the replies turn towards the ball; half drive, where the
ball is straight ahead: to it where it is nearer than 17.5 m, else into its vicinity.
"""

from llm_control.finetuning.arenas import THRESHOLD_M, Kind
from llm_control.finetuning.example import Example, make_example
from llm_control.finetuning.formats import Format, as_line

__all__ = ["THRESHOLD_M", "Example", "Format", "Kind", "as_line", "make_example"]
