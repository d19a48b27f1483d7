"""Serving people's pages: connections and their limits."""
