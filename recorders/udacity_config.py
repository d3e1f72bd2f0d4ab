"""What is recorded of the Udacity simulator."""

from dataclasses import dataclass
from pathlib import Path

from drive.udacity.bridge_config import PORT, BridgeConfig
from drive.udacity.driving_log_error import DrivingLogError
from maps.limits import check_numbers


@dataclass(frozen=True)
class UdacityRecordConfig:
    """What is recorded of the simulator that connects.

    Attributes:
        out: Folder of the recording; an existing one is appended to. A second simulator at the same
            time gets a folder of its own in it.
        rows: After how many rows to stop; 0 for never.
        seconds: After how many seconds to stop; 0 for never.
        port: The simulator connects to 4567; 0 stands for any that is free.
        host: Address to listen on.
        public: Allow an address that other machines reach.
        quiet: Show nothing while recording.
    """

    out: Path
    rows: int = 0
    seconds: float = 0.0
    port: int = PORT
    host: str = "127.0.0.1"
    public: bool = False
    quiet: bool = False

    def check(self) -> None:
        """Checks the fields.

        Raises:
            DrivingLogError: One is negative or too great.
            drive.udacity.bridge.BridgeError: The port is none, or the address public.
        """
        BridgeConfig(self.port, self.host, self.public).check()
        check_numbers(self, DrivingLogError)
