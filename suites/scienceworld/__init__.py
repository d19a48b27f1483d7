"""ScienceWorld: thirty tasks of school science in a world of words. Wang et al., "ScienceWorld: Is your Agent
Smarter than a 5th Grader?" The simulator is the authors' own."""
