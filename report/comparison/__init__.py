"""Comparison of runs with children, the 2019 competition, published agents and models, and studies."""
