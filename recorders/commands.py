"""What ``nsac-record`` does to record: calls the library and prints."""

from rich.console import Console

from drive.udacity.bridge_config import BridgeError
from drive.udacity.driving_log_error import DrivingLogError
from maps import MapError
from maps.faults import one_line
from policies.data_sets import root_folder
from policies.errors import PolicyError
from recorders.config import RecordConfig, RecordError
from recorders.recording import record
from recorders.udacity import record_udacity
from recorders.udacity_config import UdacityRecordConfig


def carracing(config: RecordConfig) -> None:
    """Records CarRacing demonstrations as a Minari data set."""
    with one_line(RecordError, PolicyError, MapError):
        name = record(config)
    print(f"recorded {name} in {root_folder(config.data_root) / name}")  # noqa: T201


def udacity(config: UdacityRecordConfig) -> None:
    """Records what somebody drives in the Udacity simulator, until Ctrl+C."""
    with one_line(DrivingLogError, BridgeError):
        rows = record_udacity(config, Console(stderr=True))
    print(f"recorded {rows} rows in {config.out}")  # noqa: T201
