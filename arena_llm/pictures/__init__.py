"""Pictures for people: videos of episodes, trajectories and figures of tasks."""
