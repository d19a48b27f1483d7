"""How surfaces look: materials, colours, textures, sky and sunlight."""
