import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from drive.udacity.frame_shape import FRAME_SHAPE
from drive.udacity.frames import FrameError, decode, encode

Colour = tuple[int, int, int]


def jpeg_by_pillow(colour: Colour, size: tuple[int, int] = (320, 160), **options: Any) -> bytes:  # noqa: ANN401
    """A picture of one RGB colour as another library writes it."""
    stream = io.BytesIO()
    Image.new("RGB", size, colour).save(stream, "JPEG", quality=75, **options)
    return stream.getvalue()


@pytest.mark.parametrize("colour", [(255, 0, 0), (0, 0, 255), (0, 255, 0)])
def test_a_picture_keeps_its_colour(colour: Colour) -> None:
    frame = decode(jpeg_by_pillow(colour))
    assert frame.shape == FRAME_SHAPE
    assert frame.dtype == np.uint8
    assert np.abs(frame.astype(int) - colour).max() <= 2


@pytest.mark.parametrize("colour", [(255, 0, 0), (0, 0, 255)])
def test_another_library_reads_what_is_encoded(colour: Colour) -> None:
    jpeg = encode(np.full(FRAME_SHAPE, colour, np.uint8))
    picture = np.asarray(Image.open(io.BytesIO(jpeg)))
    assert picture.shape == FRAME_SHAPE
    assert np.abs(picture.astype(int) - colour).max() <= 2


@pytest.mark.parametrize("options", [{"progressive": True}, {"optimize": True}])
def test_every_kind_of_jpeg_is_read(options: dict[str, Any]) -> None:
    assert decode(jpeg_by_pillow((9, 99, 199), **options))[80, 160, 2] == pytest.approx(199, abs=2)


def test_padding_after_the_picture_is_no_fault() -> None:
    assert decode(jpeg_by_pillow((0, 0, 255)) + b"\0" * 7).shape == FRAME_SHAPE


def test_every_truncation_is_refused() -> None:
    rng = np.random.default_rng(0)
    jpeg = encode(rng.integers(0, 256, FRAME_SHAPE, dtype=np.uint8))
    for length in range(0, len(jpeg) - 1, 97):
        with pytest.raises(FrameError, match=r"empty|truncated|no JPEG"):
            decode(jpeg[:length])


@pytest.mark.parametrize("size", [(66, 200), (160, 320), (640, 480), (60_000, 2)])
def test_another_size_is_named(size: tuple[int, int]) -> None:
    with pytest.raises(FrameError, match=f"{size[0]} x {size[1]}, expected 320 x 160"):
        decode(jpeg_by_pillow((1, 2, 3), size))


def test_a_header_of_a_huge_picture_is_not_decoded() -> None:
    jpeg = bytearray(jpeg_by_pillow((1, 2, 3)))
    at = jpeg.index(b"\xff\xc0") + 5
    jpeg[at : at + 4] = b"\xea\x60\xea\x60"
    with pytest.raises(FrameError, match="60000 x 60000"):
        decode(bytes(jpeg))


def test_damaged_bytes_raise_nothing_but_frame_errors() -> None:
    rng = np.random.default_rng(1)
    whole = encode(rng.integers(0, 256, FRAME_SHAPE, dtype=np.uint8))
    messages = []
    for _ in range(300):
        jpeg = bytearray(whole)
        for at in rng.integers(0, 700, rng.integers(1, 9)):
            jpeg[at] = rng.integers(256)
        try:
            assert decode(bytes(jpeg)).shape == FRAME_SHAPE
        except FrameError as fault:
            messages.append(str(fault))
    assert len(messages) > 50
    assert not any("\n" in message for message in messages)


def test_other_arrays_are_no_frames() -> None:
    with pytest.raises(FrameError, match="uint8"):
        encode(np.zeros(FRAME_SHAPE, np.float32))
    with pytest.raises(FrameError, match=r"\(66, 200, 3\)"):
        encode(np.zeros((66, 200, 3), np.uint8))
