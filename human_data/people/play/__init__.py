"""People at the controls: a page in the browser, the original's rate, the same recording as a model's."""
