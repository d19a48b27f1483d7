"""Parts of a study's file."""
