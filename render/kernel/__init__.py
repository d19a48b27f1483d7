"""The rasteriser: compiled code with the same bytes on every processor.

Only exact operations reach a pixel: + - * / and square roots, comparisons and integers, in the written order.
"""
