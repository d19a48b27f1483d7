"""EST: which objects are Blickets?

Zhang et al., "EST: Evaluating scientific thinking in artificial agents".
"""
