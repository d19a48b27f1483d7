"""DiscoveryWorld: cycles of scientific discovery on a small planet colony.

Jansen et al., "DiscoveryWorld: A Virtual Environment for Developing and Evaluating Automated Scientific
Discovery Agents" (2024). The simulator and its pictures are the authors' own package.
"""
