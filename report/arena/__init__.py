"""Report of the arena alone: replays, failure reasons, paths, health."""
