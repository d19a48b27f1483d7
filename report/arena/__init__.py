"""What the report shows of the arena alone: replays, reasons of failure, paths, health."""
