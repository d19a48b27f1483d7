"""Training examples: a picture of a random arena, and the ideal reply to it.

They follow the fine-tuned GPT-4o of the paper (arXiv 2410.23242, supporting materials,
`exploratory_experiments/finetuning/method.md`): single pictures of random arenas with one green or yellow
ball in view and random objects around it. Half of the replies turn towards the ball. The other half have it
straight ahead and drive: to a ball nearer than 17.5 m, or into the vicinity of a farther one.
"""
