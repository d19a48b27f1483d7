"""What questionnaires ask, and which answers decide what follows."""
