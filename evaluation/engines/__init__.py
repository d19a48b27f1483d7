"""Where episodes are played: this process, processes of this machine, or a Ray cluster."""
