"""Pictures for people: videos of episodes, trajectories, figures of tasks and contact sheets."""
