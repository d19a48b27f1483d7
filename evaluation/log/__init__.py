"""The one reader of evaluation logs."""
