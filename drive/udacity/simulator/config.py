"""What the stand-in can be asked for."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from drive.udacity.numerals import Decimal
from drive.udacity.simulator.client_config import ClientConfig, Clock
from drive.udacity.simulator.course_names import CourseName
from drive.udacity.simulator.errors import SimulatorError
from drive.udacity.simulator.scripted_config import ScriptedConfig
from maps.limits import WIDEST, Within, check_numbers

Mode = Literal["autonomous", "training"]


DriverName = Literal["controller", "scripted", "keyboard"]


@dataclass(frozen=True)
class StandInConfig:
    """What the stand-in does.

    Attributes:
        mode: ``autonomous``: connect to a controller; ``training``: record a drive.
        track: Course.
        seed: Of hills, plants and textures; the road is the same for all.
        driver: ``controller``: whoever answers; ``scripted``: the stand-in itself, whatever is
            answered; ``keyboard``: you, in training mode. By default ``controller``, or
            ``scripted`` in training mode.
        scripted: How the scripted driver drives.
        laps: After which to end; 0 for never, which training mode refuses unless you drive.
        seconds: Of the simulator's clock, after which to end; 0 for never.
        out: Folder of the recording, in training mode; an existing one is appended to.
        start: Arc length at which a recording starts, metres.
        disturbance_seed: Of the scripted driver's disturbances, in training mode.
        host: Where the controller listens.
        port: The same; the real simulator knows only 4567.
        clock: ``real``: the physics never wait, as the simulator's; ``lockstep``: they go on with
            each reply, which is repeatable and as fast as the controller.
        period: Seconds that one reply is worth in lock-step.
        decimal: Decimal separator of the computer's locale: ``.`` or ``,``.
        manual: From when to when, in seconds, a person is to hold the keys.
        report: File for pose, lateral error and autonomy, a JSON object a line; - for standard
            output.
    """

    mode: Mode = "autonomous"
    track: CourseName = "lake"
    seed: int = 0
    driver: DriverName | None = None
    scripted: ScriptedConfig = field(default_factory=ScriptedConfig)
    laps: float = 0.0
    seconds: float = 0.0
    out: Path | None = None
    start: Annotated[float, Within(-WIDEST, WIDEST)] = 0.0
    disturbance_seed: int = 0
    host: str = "127.0.0.1"
    port: int = 4567
    clock: Clock = "real"
    period: float = 0.06
    decimal: Decimal = "."
    manual: tuple[float, float] = (0.0, 0.0)
    report: Path | None = None

    def check(self) -> None:
        """Checks the fields.

        Raises:
            SimulatorError: One of them cannot be, alone or with the others.
        """
        self.scripted.check()
        self.client.check()
        check_numbers(self, SimulatorError)
        if self.mode == "training":
            if self.out is None:
                raise SimulatorError("training mode needs --out, the folder of the recording")
            if self.driver == "controller":
                raise SimulatorError("a controller drives in autonomous mode only")
            if self.driver != "keyboard" and not self.laps > 0:
                raise SimulatorError("--laps says how many the scripted driver records")
        elif self.driver == "keyboard":
            raise SimulatorError("you drive by keyboard in training mode: --mode training")

    @property
    def client(self) -> ClientConfig:
        """The part that concerns the line to a controller."""
        return ClientConfig(
            self.host, self.port, self.clock, self.period, self.decimal, self.laps, self.seconds
        )
