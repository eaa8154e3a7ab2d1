"""Boxes drawn on pictures."""

from itertools import pairwise

from PIL import Image, ImageDraw

from helm_structext.mmr.replies import Box

TRUTH = "#00a040"
PREDICTION = "#e0007a"


def draw_boxes(picture: Image.Image, truth: Box, prediction: Box | None) -> Image.Image:
    """Returns a copy of a picture with the true box in green and the predicted one in magenta.

    The predicted box is dashed, so that the colors need not be told apart, and both have a white
    edge, so that they are seen on any background. Boxes are cut at the edges of the picture.

    Args:
        picture: of any size and mode.
        truth: the true box, in fractions of the picture's width and height.
        prediction: the predicted box, or None.

    >>> drawn = draw_boxes(Image.new("L", (100, 50)), (0.1, 0.2, 0.5, 0.8), None)
    >>> drawn.mode, drawn.size
    ('RGB', (100, 50))
    """
    drawn = picture.convert("RGB")
    pen = ImageDraw.Draw(drawn)
    width = max(2, round(sum(drawn.size) / 400))
    for box, color, dash in ((truth, TRUTH, 0), (prediction, PREDICTION, 4 * width)):
        if box is not None:
            outline = _outline(box, drawn.size, dash)
            for piece in outline:
                pen.line(piece, "white", 2 * width)
            for piece in outline:
                pen.line(piece, color, width)
    return drawn


def _outline(box: Box, size: tuple[int, int], dash: int) -> list[list[tuple[float, float]]]:
    """The four sides as lines in pixels, in pieces of the length `dash` unless that is 0."""
    (left, right), (top, bottom) = (
        sorted(min(max(fraction, 0.0), 1.0) * (length - 1) for fraction in fractions)
        for fractions, length in ((box[::2], size[0]), (box[1::2], size[1]))
    )
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    pieces = []
    for (x, y), (next_x, next_y) in pairwise(corners):
        width, height = next_x - x, next_y - y
        # An odd number, so that dashes meet in the corners.
        count = round(max(abs(width), abs(height)) / dash) // 2 * 2 + 1 if dash else 1
        for part in range(0, count, 2):
            ends = (part / count, (part + 1) / count)
            pieces.append([(x + width * end, y + height * end) for end in ends])
    return pieces
