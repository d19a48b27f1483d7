"""Text on pictures."""

from functools import cache

from PIL import Image, ImageDraw, ImageFont

INK = (34, 34, 34)
GREY = (110, 110, 110)
FAINT = (225, 225, 225)

Box = tuple[float, float, float, float]
Place = tuple[float, float]
Ink = tuple[int, int, int]


@cache
def font(size: float) -> ImageFont.FreeTypeFont:
    """Pillow's own scalable font at a size in pixels; it has Latin letters only."""
    loaded = ImageFont.load_default(size=max(size, 6.0))
    assert isinstance(loaded, ImageFont.FreeTypeFont), "Pillow was built without FreeType"
    return loaded


def write(
    image: Image.Image, at: Place, text: str, size: float, *, anchor: str = "ls", color: Ink = INK
) -> None:
    """One line of text; `anchor` is Pillow's: horizontal l, m, r and vertical a (top), m, s (baseline)."""
    ImageDraw.Draw(image).text(at, text, font=font(size), fill=color, anchor=anchor)


def text_width(text: str, size: float) -> float:
    """Width of a line of text in pixels."""
    return font(size).getlength(text)


def fitted(text: str, size: float, width: float) -> str:
    """The text, shortened with three dots if it is wider than `width`."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "...", size) > width:
        text = text[:-1]
    return text.rstrip() + "..."
