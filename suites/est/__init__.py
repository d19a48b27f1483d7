"""EST: identification of Blickets among objects. Zhang et al., "EST: Evaluating scientific thinking in
artificial agents"."""
