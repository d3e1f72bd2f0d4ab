"""What ``nsac-record`` does to look after data sets: calls the library and prints."""

import json
import sys
from pathlib import Path

from rich.console import Console

from drive.udacity.driving_log import LOG_NAME
from drive.udacity.driving_log_error import DrivingLogError
from maps.faults import one_line
from maps.files.json_file import JsonError
from maps.files.whole import writable, write_text
from policies.data_sets import root_folder
from policies.minari_files import DemonstrationError
from recorders.care.checking import check_data_set
from recorders.care.config import (
    CheckConfig,
    DropEpisodesConfig,
    ExportConfig,
    InfoConfig,
    MergeConfig,
    ShowConfig,
)
from recorders.care.dropping import drop
from recorders.care.errors import CareError
from recorders.care.exporting import export_data_set
from recorders.care.merging import merge_data_sets
from recorders.care.pictures import show_data_set
from recorders.care.summary import summarise
from recorders.care.summary_tables import action_table, episode_table, fact_table
from recorders.config import RecordError
from recorders.udacity_check import CheckConfig as UdacityCheckConfig
from recorders.udacity_check import check as check_udacity

FAULTS = (CareError, DemonstrationError, JsonError, RecordError)
UNSOUND = 1
"""Exit status of a check that found something wrong."""


def info(config: InfoConfig) -> None:
    """Says what a data set holds."""
    with one_line(*FAULTS), writable(config.json):
        summary = summarise(config)
        if config.json is not None:
            write_text(config.json, json.dumps(summary.as_json(), indent=1) + "\n")
    console = Console()
    for table in (fact_table, action_table, episode_table):
        console.print(table(summary))
    if summary.test:
        numbers = ", ".join(map(str, summary.test))
        words = f"test tracks (seeds 2000-2099) in episodes {numbers}: drop them before training"
        print(f"warning: {words}", file=sys.stderr)  # noqa: T201


def show(config: ShowConfig) -> None:
    """Draws a data set."""
    with one_line(*FAULTS):
        pictures = show_data_set(config)
    for picture in pictures:
        print(picture)  # noqa: T201


def check(config: CheckConfig) -> int:
    """Says what is wrong with a data set, or with a recording of the Udacity simulator."""
    path = Path(config.recording)
    if (path / LOG_NAME).is_file() or path.is_file():
        return _check_udacity(path)
    with one_line(*FAULTS):
        checked = check_data_set(config)
    for finding in checked.findings:
        print(finding)  # noqa: T201
    if not checked.verified:
        print("no checksums: changed bytes cannot be found", file=sys.stderr)  # noqa: T201
    if checked.findings:
        return UNSOUND
    print(f"{config.recording}: {checked.episodes} episodes, {checked.steps} steps, all sound")  # noqa: T201
    return 0


def merge(config: MergeConfig) -> None:
    """Makes one data set of several."""
    with one_line(*FAULTS):
        episodes, steps = merge_data_sets(config)
    where = root_folder(config.data_root) / config.out
    print(f"merged {episodes} episodes, {steps} steps, as {config.out} in {where}")  # noqa: T201


def drop_episodes(config: DropEpisodesConfig) -> None:
    """Makes a data set without some of its episodes."""
    with one_line(*FAULTS):
        dropped = drop(config)
    verb = "would drop" if config.dry_run else "dropped"
    for number, reason in dropped.reasons.items():
        print(f"{verb} episode {number} ({reason})")  # noqa: T201
    name = config.data_set if config.in_place or config.out is None else config.out
    kept = f"{dropped.kept} episodes, {dropped.steps} steps"
    print(f"{name} {'would hold' if config.dry_run else 'holds'} {kept}")  # noqa: T201


def export(config: ExportConfig) -> None:
    """Writes a data set for other programs."""
    with one_line(*FAULTS):
        episodes = export_data_set(config)
    print(f"exported {episodes} episodes to {config.out}")  # noqa: T201


def _check_udacity(path: Path) -> int:
    with one_line(DrivingLogError):
        finding = check_udacity(UdacityCheckConfig(path))
    print("\n".join(finding.lines))  # noqa: T201
    return 0 if finding.sound else UNSOUND
