"""Agents of many kinds on our battery and on the original: the table that links the two batteries.

`python -m benchmarks.linking` writes `human_data/agents_on_both_batteries.csv` again.
"""
