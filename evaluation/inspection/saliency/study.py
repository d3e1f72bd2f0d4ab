"""``nsac-inspect saliency``: where drivers looked along some laps, and whether to believe it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

import policies
from evaluation.errors import EvaluationError
from evaluation.inspection.saliency.config import SaliencyConfig
from evaluation.inspection.saliency.figure import Sight, figure_8d
from evaluation.inspection.saliency.lens import Lens
from evaluation.inspection.saliency.looked import Looked, look, pictures, seen_regions, stacks
from evaluation.inspection.saliency.network import PictureNetwork, network_of
from evaluation.inspection.saliency.region_recorder import RegionRecorder
from evaluation.inspection.saliency.scorecard import score, sheets
from evaluation.inspection.saliency.video import save_video
from evaluation.inspection.seen_laps import SeenLap
from evaluation.run import alone
from maps.files import parquet_file
from nsac_core.benchmarks.report import save_figure
from nsac_core.benchmarks.sheets import Sheet

FILE = "saliency_scores.parquet"
Found = tuple[SeenLap, PictureNetwork]


@dataclass(frozen=True)
class Studied:
    """What came of it.

    Attributes:
        scores: As from ``score``, of all laps.
        files: Videos and figures.
        sheets: Tables to print.
        left_out: A line on each driver that cannot be asked.
    """

    scores: pd.DataFrame
    files: list[Path]
    sheets: list[Sheet]
    left_out: list[str]


def study(config: SaliencyConfig) -> Studied:
    """Drives what is missing, writes saliency, regions and videos, scores them, draws Figure 8 D.

    Raises:
        EvaluationError: None of the drivers has a network that can be looked into, the numbers
            cannot be, or as ``LapsConfig.laps``.
        PolicyError: As ``LapsConfig.laps``.
        MapError: There is no such map.
        maps.files.locks.LockedError: Another process is at work in the folder.
        OSError: It cannot be written.
    """
    if config.scored_steps < 1 or (config.samples is not None and config.samples < 1):
        raise EvaluationError("scored_steps and samples are 1 or more")
    with alone(config.out):
        return _study(config)


def _study(config: SaliencyConfig) -> Studied:
    laps = config.laps([RegionRecorder])
    found, left_out = with_networks(laps, config.sources(), config.samples, config.trust)
    if not found:
        raise EvaluationError(left_out[0])
    sights = _sights(found, config.step)
    files, cards = [], []
    for lap, network in found:
        looked = look(lap, network, config.lens)
        if config.video:
            files.append(save_video(lap, looked))
        cards.append(score(lap, network, config.lens, config.scored_steps, config.seed))
    scores = pd.concat(cards, ignore_index=True)
    parquet_file.write(config.out / FILE, scores)
    files += _draw(config.out / "figures", sights, config.lens, found[0][0])
    return Studied(scores, files, sheets(scores), left_out)


def look_at(
    laps: Sequence[SeenLap],
    sources: dict[str, str],
    lens: Lens | None = None,
    samples: int | None = None,
    trust: bool = False,
) -> tuple[list[Looked], list[str]]:
    """The saliency of laps, written beside their frames unless it is there.

    Args:
        laps: Of one run.
        sources: What ``policies.load`` takes for each policy, by the run's name of it.
        lens: Which map; ``Lens()`` by default.
        samples: Monte Carlo passes; a driver's own number by default.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            ``torch.export`` and TorchScript. Only for files of somebody you trust.

    Returns:
        That of the laps that have any, and a line on each driver that cannot be asked.
    """
    found, left_out = with_networks(laps, sources, samples, trust)
    return [look(lap, network, lens or Lens()) for lap, network in found], left_out


def with_networks(
    laps: Sequence[SeenLap],
    sources: dict[str, str],
    samples: int | None = None,
    trust: bool = False,
) -> tuple[list[Found], list[str]]:
    """The laps with their drivers' networks, and a line on each driver that has none."""
    networks: dict[str, PictureNetwork] = {}
    left_out: dict[str, str] = {}
    for label in dict.fromkeys(lap.policy for lap in laps):
        try:
            networks[label] = network_of(policies.load(sources[label], trust=trust), samples)
        except EvaluationError as fault:
            left_out[label] = str(fault)
    found = [(lap, networks[lap.policy]) for lap in laps if lap.policy in networks]
    return found, list(left_out.values())


def _sights(found: Sequence[Found], step: int | None) -> list[Sight]:
    """All policies at one picture: of the first lap, or of their own if they see another kind."""
    sights: dict[str, Sight] = {}
    for lap, network in found:
        shown = next(other for other, seen in found if seen.observation == network.observation)
        frames = pictures(shown)
        number = len(frames) // 2 if step is None else step
        if not 0 <= number < len(frames):
            raise EvaluationError(f"step is {number}, expected 0 to {len(frames) - 1}")
        stack = stacks(frames, network.observation.frames, [number])[0]
        sight = Sight(lap.policy, network, stack, seen_regions(shown)[number])
        sights.setdefault(lap.policy, sight)
    return list(sights.values())


def _draw(folder: Path, sights: list[Sight], lens: Lens, lap: SeenLap) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    figure = figure_8d(sights, lens, f"Where each policy looks, one picture of {lap.map}")
    return save_figure(figure, folder / "figure_8d")
