"""Drawable parts of a scene: unit meshes, and arrays of their instances."""
