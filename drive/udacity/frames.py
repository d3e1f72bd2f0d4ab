"""Camera frames of the Udacity simulator: RGB in Python, JPEG on the wire and on disk.

A frame is RGB uint8 ``(160, 320, 3)`` everywhere. OpenCV's own order of the channels exists inside
the calls below and nowhere else.
"""

import struct

import cv2
import numpy as np

from drive.udacity.frame_shape import FRAME_SHAPE, HEIGHT, WIDTH, Frame
from maps.files.one_line_error import OneLineError

JPEG_QUALITY = 75
"""Unity's own quality, which the simulator uses for its recordings and on the wire."""

_START, _END = b"\xff\xd8", b"\xff\xd9"
_START_OF_SCAN = 0xDA
_FRAME_HEADERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})


class FrameError(OneLineError):
    """Bytes or an array that are no whole frame; the message is one line."""


def decode(jpeg: bytes) -> Frame:
    """Decodes one JPEG.

    Args:
        jpeg: A whole JPEG of 320 x 160, gray or in colour.

    Returns:
        RGB uint8 ``(160, 320, 3)``.

    Raises:
        FrameError: If it is empty, no JPEG, truncated, damaged or of another size.
    """
    if not jpeg:
        raise FrameError("the image is empty (0 bytes)")
    if not jpeg.startswith(_START):
        raise FrameError(f"the image is no JPEG: its {len(jpeg)} bytes start {jpeg[:4].hex()}")
    # The size is read beforehand: a header of 60,000 x 60,000 would take 10 GB to decode.
    size, scan = _size_and_scan(jpeg)
    if size != (WIDTH, HEIGHT):
        raise FrameError(f"the image is {size[0]} x {size[1]}, expected {WIDTH} x {HEIGHT}")
    # A JPEG decoder fills what is missing with gray and says nothing.
    if jpeg.find(_END, scan) < 0:
        raise FrameError(f"the image is truncated after {len(jpeg)} bytes")
    flags = cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
    try:
        picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), flags)
    except cv2.error:
        picture = None
    if picture is None or picture.shape != FRAME_SHAPE:
        raise FrameError(f"the image cannot be decoded ({len(jpeg)} bytes)")
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), dtype=np.uint8)


def encode(frame: Frame, quality: int = JPEG_QUALITY) -> bytes:
    """Encodes one frame as JPEG.

    Args:
        frame: RGB uint8 ``(160, 320, 3)``.
        quality: From 1 to 100.

    Raises:
        FrameError: If the frame has another shape or type.
    """
    if frame.shape != FRAME_SHAPE or frame.dtype != np.uint8:
        raise FrameError(f"a frame is {FRAME_SHAPE} uint8, got {frame.shape} {frame.dtype}")
    settings = [cv2.IMWRITE_JPEG_QUALITY, quality]
    done, jpeg = cv2.imencode(".jpg", cv2.cvtColor(frame, cv2.COLOR_RGB2BGR), settings)
    if not done:
        raise FrameError("the frame cannot be encoded")
    return jpeg.tobytes()


def _size_and_scan(jpeg: bytes) -> tuple[tuple[int, int], int]:
    """Width and height as the header says, and where the picture's data begin."""
    size, at = None, 2
    while at + 4 <= len(jpeg) and jpeg[at] == 0xFF:
        marker = jpeg[at + 1]
        if marker == 0xFF or marker in _ALONE:
            at += 1 if marker == 0xFF else 2
            continue
        if marker in _FRAME_HEADERS and at + 9 <= len(jpeg):
            height, width = struct.unpack_from(">HH", jpeg, at + 5)
            size = (width, height)
        if marker == _START_OF_SCAN and size is not None:
            return size, at
        at += 2 + max(2, int.from_bytes(jpeg[at + 2 : at + 4]))
    raise FrameError(f"the image is truncated or damaged within its header ({len(jpeg)} bytes)")
