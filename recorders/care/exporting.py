"""Exports a data set into the files of others."""

from maps.files.locks import locked_folder
from policies.data_sets import DataSet
from recorders.care.config import ExportConfig
from recorders.care.errors import CareError
from recorders.care.export_folder import claim
from recorders.care.lerobot_export import LeRobotExport
from recorders.care.npz_export import write_npz
from recorders.care.stored import held, read_episodes


def export_data_set(config: ExportConfig) -> int:
    """Writes what the export still lacks.

    Returns:
        How many episodes it holds.

    Raises:
        CareError: The folder holds something else, or an option is wrong.
        policies.demonstrations.DemonstrationError: The data set is unknown, unfinished or damaged.
        maps.files.locks.LockedError: The data set, or the folder, is being written to.
    """
    if not 0 <= config.crf <= 51:
        raise CareError(f"crf must lie in [0, 51], not {config.crf}")
    if not config.state:
        raise CareError("state must name one info or more")
    with held(config.data_set, config.data_root) as data, locked_folder(config.out):
        claim(config, data)
        if config.to == "npz":
            _to_npz(config, data)
        else:
            _to_lerobot(config, data)
    return len(data.entries)


def _to_npz(config: ExportConfig, data: DataSet) -> None:
    paths = [config.out / f"episode_{i:06d}.npz" for i in range(len(data.entries))]
    missing = [i for i, path in enumerate(paths) if not path.exists()]
    for number, episode in read_episodes(data, missing, "exporting", config.quiet):
        write_npz(episode, data.entries[number], paths[number])


def _to_lerobot(config: ExportConfig, data: DataSet) -> None:
    export = LeRobotExport(config.out, config.state, config.crf)
    numbers = range(len(data.entries))
    for number, episode in read_episodes(data, numbers, "exporting", config.quiet):
        export.add(number, episode, data.entries[number])
    export.finish()
