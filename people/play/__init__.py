"""Playing in the browser: a page, the original's speed, and the same recording as a model's."""
