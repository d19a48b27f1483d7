"""The one reader of evaluation logs: nothing else opens them."""
