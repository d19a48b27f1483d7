"""What a scene is drawn from: unit meshes, and arrays of their instances."""
