"""The picture: scenes to frames, headless."""

from render.batch import BatchRenderer
from render.camera import Camera, birds_eye, first_person, third_person, top_view
from render.image import Frame, decode, png
from render.renderer import Renderer

__all__ = [
    "BatchRenderer",
    "Camera",
    "Frame",
    "Renderer",
    "birds_eye",
    "decode",
    "first_person",
    "png",
    "third_person",
    "top_view",
]
