"""Experiments with people, described in one file: from consent to completion."""
