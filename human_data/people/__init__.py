"""People on the same tasks as models: play in the browser, studies, and what they leave behind."""
