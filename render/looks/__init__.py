"""Surface appearance: materials, colours, textures, sky and sunlight."""
