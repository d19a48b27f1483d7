"""People at the controls: a page in the browser, steps at the original's rate, the same recording as a model's."""
