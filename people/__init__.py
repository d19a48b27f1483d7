"""Human participants: browser play of the models' tasks, studies, and data."""
