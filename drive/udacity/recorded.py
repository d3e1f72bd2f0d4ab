"""A driver whose drive is recorded as the simulator itself would record a person's."""

from datetime import UTC, datetime

from drive.udacity.commands import safe_command
from drive.udacity.driving_log import DrivingLog
from drive.udacity.frame_shape import Frame
from drive.udacity.pilot import Driver
from drive.udacity.protocol import Command, Telemetry


class RecordedDriver:
    """Writes a row for each frame that its driver decides on: what was seen, and what was done.

    The images are those of the centre camera, byte for byte as they came.

    Args:
        driver: Who drives.
        log: Where it is written.
    """

    def __init__(self, driver: Driver, log: DrivingLog) -> None:
        self.driver = driver
        self.log = log

    def reset(self) -> None:
        """Has the driver forget everything."""
        self.driver.reset()

    def drive(self, frame: Frame, telemetry: Telemetry) -> Command:
        """The driver's command, written down.

        Args:
            frame: RGB uint8 ``(160, 320, 3)``.
            telemetry: What came with it.

        Raises:
            ValueError: If the driver has no answer, and nothing is written then; or if the row
                cannot be written.
        """
        command = safe_command(self.driver.drive(frame, telemetry))
        self.log.append(
            [telemetry.image],
            steering=command.steering,
            throttle=max(command.throttle, 0.0),
            brake=max(-command.throttle, 0.0),
            speed=telemetry.speed,
            moment=datetime.now(tz=UTC).astimezone(),
        )
        return command
