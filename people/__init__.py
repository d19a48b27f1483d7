"""People on the same tasks as models: playing in the browser, studies, and their data."""
