"""Gray frames as an H.264 video, without loss if wanted."""

from pathlib import Path
from typing import Any

import av
import numpy as np
from av.video.reformatter import ColorRange
from gymnasium.envs.box2d.car_racing import FPS
from numpy.typing import NDArray

from maps.files.whole import whole

KEY_FRAMES = 2
"""Every second frame is a key frame, as LeRobot has it: training reads frames in any order."""


def write_video(frames: NDArray[np.uint8], path: Path, crf: int) -> None:
    """Writes frames, 50 a second, frame t at t / 50 s.

    The gray levels are the luma plane, in its full range, so that nothing but the codec changes
    them; with ``crf`` 0 it does not either.

    Args:
        frames: ``(n, height, width)``, both even.
        path: Of the file.
        crf: H.264's constant rate factor, 0 to 51.
    """
    height, width = frames.shape[1:]
    options = {"crf": str(crf), "g": str(KEY_FRAMES), "bf": "0"}
    colour = np.full((height // 2, width), 128, dtype=np.uint8)
    with (
        whole(path) as aside,
        av.open(str(aside), "w", format="mp4", options={"movflags": "faststart"}) as container,
    ):
        stream = container.add_stream("libx264", rate=FPS, options=options)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.color_range = ColorRange.JPEG
        for time, gray in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(np.concatenate([gray, colour]), format="yuv420p")
            frame.color_range, frame.pts = ColorRange.JPEG, time
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def read_video(path: Path) -> NDArray[np.uint8]:
    """All frames of a video as any reader sees them, RGB ``(n, height, width, 3)``."""
    with av.open(str(path)) as container:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)])


def video_facts(path: Path) -> dict[str, Any]:
    """What LeRobot's ``info.json`` says of a video."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        return {
            "video.fps": float(stream.base_rate or FPS),
            "video.height": stream.height,
            "video.width": stream.width,
            "video.channels": 3,
            "video.codec": stream.codec.canonical_name,
            "video.pix_fmt": stream.pix_fmt,
            "video.is_depth_map": False,
            "has_audio": False,
        }
