"""The picture: scenes to frames, headless."""

from arena.errors import RenderError
from render.camera import Camera, birds_eye, first_person, third_person, top_view
from render.image import Frame, blurred, coarse, decode, in_grey, jpeg, png, with_gutter
from render.renderer import BatchRenderer, Mask, Renderer, Segmenter

DRAWN_BY = "arena-llm pictures 4"
"""Renderer and version of pictures' bytes. They are the same on every machine."""

__all__ = [
    "DRAWN_BY", "BatchRenderer", "Camera", "Frame", "Mask", "RenderError", "Renderer", "Segmenter",
    "birds_eye", "blurred", "coarse", "decode", "first_person", "in_grey", "jpeg", "png",
    "third_person", "top_view", "with_gutter",
]  # fmt: skip
