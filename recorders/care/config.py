"""What can be asked of a recorded data set, one configuration a command."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from maps.limits import WIDEST, Within

DataSet = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="DATA_SET")]

STATE = (
    *("position", "heading", "speed", "lateral_error", "heading_error"),
    *("curvature", "progress", "wheels_off_road"),
)
"""The true state at a frame that an export holds by default."""


@dataclass(frozen=True)
class InfoConfig:
    """What a data set holds.

    Attributes:
        data_set: Its Minari id, such as ``carracing/privileged-v0``.
        json: File that the same facts are written to.
        data_root: Folder of the data sets; None is Minari's own.
        quiet: Whether to show no progress bar.
    """

    data_set: DataSet
    json: Path | None = None
    data_root: Path | None = None
    quiet: bool = False


@dataclass(frozen=True)
class ShowConfig:
    """Pictures of a data set: frames, actions, returns and paths, as PNG files.

    Attributes:
        data_set: Its Minari id, such as ``carracing/privileged-v0``.
        out: Folder of the pictures.
        episodes: Which episodes, such as ``0 3 7-9``; all of them by default. Frames and paths
            are drawn of 12 at most, spread over those.
        frames: Frames of each episode, spread over it; of a single episode four times as many.
        data_root: Folder of the data sets; None is Minari's own.
        quiet: Whether to show no progress bar.
    """

    data_set: DataSet
    out: Path
    episodes: tuple[str, ...] = ()
    frames: int = 8
    data_root: Path | None = None
    quiet: bool = False


@dataclass(frozen=True)
class CheckConfig:
    """Everything that is wrong with a recording.

    Attributes:
        recording: Minari id of a data set, or a recording of the Udacity simulator: its folder or
            its ``driving_log.csv``.
        data_root: Folder of the data sets; None is Minari's own.
        quiet: Whether to show no progress bar.
    """

    recording: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RECORDING")]
    data_root: Path | None = None
    quiet: bool = False


@dataclass(frozen=True)
class MergeConfig:
    """A new data set of all episodes of others, in the order given.

    Attributes:
        data_sets: Minari ids of two or more.
        out: Minari id of the new one.
        copy: Whether the new one gets copies of the frames' files; else it shares them with the
            sources (hard links), which takes no space, and either can be deleted.
        data_root: Folder of the data sets; None is Minari's own.
        quiet: Whether to show no progress bar.
    """

    data_sets: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DATA_SET DATA_SET ...")
    ]
    out: str
    copy: bool = False
    data_root: Path | None = None
    quiet: bool = False


@dataclass(frozen=True)
class DropEpisodesConfig:
    """A data set without some of its episodes: those that any of three conditions names.

    Attributes:
        data_set: Its Minari id, such as ``carracing/privileged-v0``.
        episodes: Numbers of episodes to drop, such as ``3 7-9``.
        outcome: Outcomes to drop, such as ``lost stalled``.
        worse_than: Drops episodes of a smaller return.
        out: Minari id of the new data set.
        in_place: Whether the data set itself is replaced, at once; then ``out`` is not given.
        dry_run: Whether only to say what would be dropped.
        copy: Whether a new data set gets copies of the frames' files; else it shares them with
            the old one (hard links).
        data_root: Folder of the data sets; None is Minari's own.
        quiet: Whether to show no progress bar.
    """

    data_set: DataSet
    episodes: tuple[str, ...] = ()
    outcome: tuple[str, ...] = ()
    worse_than: Annotated[float, Within(-WIDEST, WIDEST)] | None = None
    out: str | None = None
    in_place: bool = False
    dry_run: bool = False
    copy: bool = False
    data_root: Path | None = None
    quiet: bool = False


@dataclass(frozen=True)
class ExportConfig:
    """A data set in the files of others; repeat the command to resume.

    Attributes:
        data_set: Its Minari id, such as ``carracing/privileged-v0``.
        to: ``lerobot``, a folder as LeRobot 2.1 reads it: parquet files and videos; or ``npz``,
            one compressed file of plain arrays an episode.
        out: Folder of the export: new, empty, or one that the same export was interrupted in.
        state: Infos that make ``observation.state``, in this order; LeRobot's only.
        crf: Quality of the videos: 0 is lossless, 51 the worst; LeRobot's only.
        data_root: Folder of the data sets; None is Minari's own.
        quiet: Whether to show no progress bar.
    """

    data_set: DataSet
    to: Literal["lerobot", "npz"]
    out: Path
    state: tuple[str, ...] = STATE
    crf: int = 0
    data_root: Path | None = None
    quiet: bool = False
