"""Task files: YAML in Animal-AI's format, read into validated specifications."""
