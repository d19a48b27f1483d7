"""Playing tasks of any suite in the browser: what a model reads is shown, and a form writes the reply."""
