"""Altered pictures: without colour, detail or sharpness, or with white at the sides."""

import numpy as np
from PIL import Image, ImageFilter

from render.image import Frame


def in_grey(frame: Frame) -> Frame:
    """The picture in shades of grey by ITU-R 601 luma, three equal channels."""
    return np.asarray(Image.fromarray(frame).convert("L").convert("RGB"))


def coarse(frame: Frame, pixels: int) -> Frame:
    """The picture reduced to `pixels` a side by area means and enlarged to its former shape."""
    height, width = frame.shape[:2]
    small = Image.fromarray(frame).resize((pixels, pixels), Image.Resampling.BOX)
    return np.asarray(small.resize((width, height), Image.Resampling.NEAREST))


def with_gutter(frame: Frame, columns: int) -> Frame:
    """The picture with this number of white columns added at its left and as many at its right."""
    return np.pad(frame, ((0, 0), (columns, columns), (0, 0)), constant_values=255)


def blurred(frame: Frame, sigma_px: float) -> Frame:
    """The picture blurred by a Gaussian of a standard deviation in pixels."""
    return np.asarray(Image.fromarray(frame).filter(ImageFilter.GaussianBlur(sigma_px)))
