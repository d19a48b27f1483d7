"""A model at the controls: script language, prompts, agents, evaluation."""
