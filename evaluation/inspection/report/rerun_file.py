"""Inspected laps for the Rerun viewer: frames, saliency, actions, traces, and the map."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from evaluation.errors import EvaluationError
from evaluation.figures import path_of, track_of
from evaluation.inspection.report.evidence import Evidence
from evaluation.inspection.trace_columns import neurons, summaries
from evaluation.metrics.base import column
from maps.files.folders import made_folder
from maps.files.whole import write_bytes
from policies.protocol import ACTIONS

APPLICATION = "nsac-inspect"
STATE = ("lateral_error", "speed", "progress")
"""Columns of the steps that are shown beside the decision."""


def save_rerun(laps: Sequence[Evidence], file: Path) -> None:
    """Writes the laps as one recording, with the views laid out.

    Entities: ``/<map>/road``, ``/<map>/<policy>-<lap>/path`` and ``/car`` in world units, y upwards
    shown as down; ``/<policy>-<lap>/frame``, ``/saliency``, ``/decision/<column>``,
    ``/state/<column>`` and ``/traces/<column>``; on the timelines ``step`` and ``time``.

    Args:
        laps: What is shown.
        file: Where to, usually ``*.rrd``.

    Raises:
        EvaluationError: Rerun's SDK is not installed.
    """
    recorded = _recorded(_rerun(), laps)
    with made_folder(file.parent):
        write_bytes(file, recorded)


def _recorded(rerun: Any, laps: Sequence[Evidence]) -> bytes:  # noqa: ANN401 - as below
    """The content of the file: Rerun itself writes it in a thread, and keeps its faults there."""
    stream = rerun.RecordingStream(APPLICATION, recording_id=_identity(laps))
    recorded = stream.binary_stream()
    stream.send_blueprint(_views(rerun, laps), make_active=False, make_default=True)
    for name in dict.fromkeys(evidence.lap.map for evidence in laps):
        _log_road(rerun, stream, next(e for e in laps if e.lap.map == name))
    for evidence in laps:
        _log_lap(rerun, stream, evidence)
    content: bytes = recorded.read()
    stream.disconnect()
    return content


def _rerun() -> Any:  # noqa: ANN401 - a module that need not be there
    try:
        import rerun  # noqa: PLC0415 - an extra
        import rerun.blueprint  # noqa: PLC0415
    except ImportError:
        raise EvaluationError(
            "--rerun needs Rerun's SDK: pip install 'nsac-drive[rerun]'"
        ) from None
    return rerun


def _identity(laps: Sequence[Evidence]) -> str:
    return " ".join(f"{e.lap.policy} {e.lap.map} {e.lap.lap}" for e in laps)


def _entity(rerun: Any, evidence: Evidence) -> str:  # noqa: ANN401
    return _part(rerun, f"{evidence.lap.policy}-{evidence.lap.lap}")


def _part(rerun: Any, name: str) -> str:  # noqa: ANN401
    return str(rerun.escape_entity_path_part(name))


def _log_road(rerun: Any, stream: Any, evidence: Evidence) -> None:  # noqa: ANN401
    track = track_of(evidence.lap.steps)
    edges = [_on_screen(np.concatenate([edge, edge[:1]])) for edge in track.boundaries()]
    road = rerun.LineStrips2D(edges, colors=[140, 140, 140])
    stream.log(f"{_part(rerun, evidence.lap.map)}/road", road, static=True)


def _log_lap(rerun: Any, stream: Any, evidence: Evidence) -> None:  # noqa: ANN401
    steps, entity = evidence.lap.steps, _entity(rerun, evidence)
    times = [
        rerun.TimeColumn("step", sequence=steps["step"].to_numpy()),
        rerun.TimeColumn("time", duration=column(steps, "time")),
    ]

    def send(name: str, columns: Any) -> None:  # noqa: ANN401
        stream.send_columns(name, indexes=times, columns=columns)

    place, path = f"{_part(rerun, evidence.lap.map)}/{entity}", _on_screen(path_of(steps))
    stream.log(f"{place}/path", rerun.LineStrips2D([path]), static=True)
    stream.log(f"{place}/car", rerun.Points2D.from_fields(radii=3.0), static=True)
    send(f"{place}/car", rerun.Points2D.columns(positions=path))
    for name, pictures in (("frame", evidence.lap.frames), ("saliency", evidence.saliency)):
        if pictures is not None:
            send(f"{entity}/{name}", _images(rerun, pictures))
    for name in ACTIONS:
        for part in ("action", "mean", "aleatoric", "epistemic"):
            values = column(steps, f"{part}_{name}")
            send(f"{entity}/decision/{name}/{part}", rerun.Scalars.columns(scalars=values))
    for name in STATE:
        send(f"{entity}/state/{name}", rerun.Scalars.columns(scalars=column(steps, name)))
    traces = evidence.traces
    if traces is not None:
        for name in [*summaries(traces), *neurons(traces)]:
            values = column(traces, name)
            send(f"{entity}/traces/{name}", rerun.Scalars.columns(scalars=values))


def _images(rerun: Any, pictures: NDArray[np.uint8]) -> Any:  # noqa: ANN401
    blobs = [cv2.imencode(".png", picture[..., ::-1] if picture.ndim == 3 else picture)[1]
             for picture in pictures]  # fmt: skip
    kinds = ["image/png"] * len(blobs)
    return rerun.EncodedImage.columns(blob=[blob.tobytes() for blob in blobs], media_type=kinds)


def _on_screen(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rerun's y points down the screen."""
    return np.asarray(points * np.array([1.0, -1.0]))


def _views(rerun: Any, laps: Sequence[Evidence]) -> Any:  # noqa: ANN401
    views = rerun.blueprint
    tabs = [
        views.Horizontal(
            views.Vertical(
                views.Spatial2DView(origin=f"/{_entity(rerun, e)}/frame", name="frame"),
                views.Spatial2DView(origin=f"/{_entity(rerun, e)}/saliency", name="saliency"),
            ),
            views.Spatial2DView(origin=f"/{_part(rerun, e.lap.map)}", name="map"),
            views.Vertical(
                *(
                    views.TimeSeriesView(origin=f"/{_entity(rerun, e)}/decision/{name}", name=name)
                    for name in ACTIONS
                ),
                views.TimeSeriesView(origin=f"/{_entity(rerun, e)}/state", name="state"),
                views.TimeSeriesView(origin=f"/{_entity(rerun, e)}/traces", name="traces"),
            ),
            name=f"{e.lap.policy} on {e.lap.map}",
        )
        for e in laps
    ]
    return views.Blueprint(views.Tabs(*tabs), collapse_panels=True)
