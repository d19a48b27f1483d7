"""A whole experiment with people, served from one file: consent to completion."""
