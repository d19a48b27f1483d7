"""The picture: scenes to frames, headless."""

from arena.errors import RenderError
from render.batch import BatchRenderer
from render.camera import Camera, birds_eye, first_person, third_person, top_view
from render.degrade import blurred, coarse, in_grey, with_gutter
from render.image import Frame, decode, jpeg, png
from render.renderer import Renderer
from render.segments import Mask, Segmenter

__all__ = [
    "BatchRenderer",
    "Camera",
    "Frame",
    "Mask",
    "RenderError",
    "Renderer",
    "Segmenter",
    "birds_eye",
    "blurred",
    "coarse",
    "decode",
    "first_person",
    "in_grey",
    "jpeg",
    "png",
    "third_person",
    "top_view",
    "with_gutter",
]
