"""Participants without a browser, who use HTTP and the game's websocket. They go through whole studies."""
