"""Participants without a browser: they go through studies over HTTP, and play over the game's websocket."""
