"""Training examples: a picture of a random arena, and the ideal reply to it.

They follow the fine-tuned GPT-4o of the paper (arXiv 2410.23242, supporting materials,
`exploratory_experiments/finetuning/method.md`): single pictures of random arenas with one green or yellow
ball in view and random objects around it. Half of the replies turn towards the ball. The other half have it
straight ahead and drive: to a ball nearer than 17.5 m, or into the vicinity of a farther one.
"""

from llm_control.training_data.arenas import THRESHOLD_M, Kind
from llm_control.training_data.example import Example, make_example
from llm_control.training_data.formats import Format, as_line

__all__ = ["THRESHOLD_M", "Example", "Format", "Kind", "as_line", "make_example"]
