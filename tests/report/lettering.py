"""Whether a figure's letters can be read."""

import itertools


def texts(figure):
    """All that can be read in a figure."""
    found = [*figure.texts]
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    found += [text for legend in legends for text in legend.get_texts()]
    for axes in figure.axes:
        found += [*axes.texts, axes.xaxis.label, axes.yaxis.label]
        found += [*axes.get_xticklabels(), *axes.get_yticklabels()]
    return [text for text in dict.fromkeys(found) if text.get_visible() and text.get_text()]


def assert_readable(figure):
    """No text leaves the figure or covers another."""
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts(figure)]
    for text, box in boxes:
        assert box.x0 >= 0, text
        assert box.y0 >= -1, text
        assert box.x1 <= figure.bbox.x1, text
        assert box.y1 <= figure.bbox.y1, text
    for (one, box), (other, another) in itertools.combinations(boxes, 2):
        wide = min(box.x1, another.x1) - max(box.x0, another.x0)
        high = min(box.y1, another.y1) - max(box.y0, another.y0)
        # Boxes hold room for accents and descenders: a third of a line may be shared.
        assert wide <= 0 or high <= 0.35 * min(box.height, another.height), (one, other)
