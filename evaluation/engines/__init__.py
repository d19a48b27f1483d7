"""Backends for episodes: this process, local processes, or a Ray cluster."""
