"""What the Udacity simulator and its controller say to each other, as pure functions for both ends.

The simulator is the client. Its messages are Socket.IO v2 events in Engine.IO v3 text packets, over
a websocket: a digit says what kind of packet it is, `42` is an event, and an event is a JSON list
of a name and its data. Numbers are strings in the simulator's locale, so their decimal separator is
read and answered in kind. Source: the simulator's public C# code, CommandServer.cs of
udacity/self-driving-car-sim.
"""

import base64
import binascii
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from drive.udacity.numerals import Decimal, read_n4, read_steer_number, write_n4, write_steer_number

MAX_STEERING_DEGREES = 25.0
Cause = Literal["packet", "json", "event", "field", "number", "decimal", "base64"]


class ProtocolError(ValueError):
    """A message that breaks the protocol; `cause` names the rule in one word, for counting."""

    def __init__(self, cause: Cause, message: str) -> None:
        super().__init__(message)
        self.cause = cause


class TelemetryError(ProtocolError):
    """A telemetry event that cannot be read: its sender still waits for one reply, or it stalls."""


@dataclass(frozen=True)
class Open:
    """The server's first packet. Intervals are in seconds."""

    sid: str
    ping_interval: float = 25.0
    ping_timeout: float = 60.0


@dataclass(frozen=True)
class Connect:
    """Entering the namespace; a server answers a newer client's own request with an identifier."""

    sid: str | None = None


@dataclass(frozen=True)
class Ping:
    """A sign of life, to be answered by a `Pong` with the same data (the simulator's are empty)."""

    data: str = ""


@dataclass(frozen=True)
class Pong:
    """The answer to a `Ping`."""

    data: str = ""


@dataclass(frozen=True)
class Close:
    """Either end leaves."""


@dataclass(frozen=True)
class Ignored:
    """A packet that is allowed and asks for nothing: an upgrade, a no-op, an acknowledgement."""


@dataclass(frozen=True)
class Telemetry:
    """What the simulator tells of one moment, and asks one `Command` for.

    Attributes:
        steering_angle: Of the front wheels, degrees in [-25, 25], right positive.
        throttle: Applied acceleration, 0 to 1; braking is not reported.
        speed: Miles per hour.
        image: JPEG of the camera's frame, 320x160; read it with `drive.udacity.frames.decode`.
        decimal: The decimal separator of the sender's locale, to be mirrored in the reply.
    """

    steering_angle: float
    throttle: float
    speed: float
    image: bytes = field(repr=False)
    decimal: Decimal = "."


@dataclass(frozen=True)
class ManualTelemetry:
    """Telemetry without data: a person holds the keys. It asks for one `Manual`."""


@dataclass(frozen=True)
class Command:
    """What the controller wants until it says otherwise.

    Attributes:
        steering: Share of the largest steering angle, [-1, 1], right positive.
        throttle: [-1, 1]; negative brakes above 5 mph and reverses below.
    """

    steering: float
    throttle: float


@dataclass(frozen=True)
class Manual:
    """The answer to `ManualTelemetry`: drive on yourself."""


Message = (
    Open | Connect | Ping | Pong | Close | Ignored | Telemetry | ManualTelemetry | Command | Manual
)


def read(text: str, decimal: Decimal = ".") -> Message:
    """Read one text packet of either end.

    Args:
        text: The packet.
        decimal: Decimal separator of the reader's locale, in which a simulator reads a steer event.

    Raises:
        TelemetryError: For a telemetry event that cannot be read; its sender waits for a reply.
        ProtocolError: For anything else that is not of this protocol.
    """
    if text.startswith("42"):
        return _read_event(text[2:], decimal)
    if text in _PLAIN:
        return _PLAIN[text]
    for start, reader in _WITH_DATA.items():
        if text.startswith(start):
            return reader(text[len(start) :])
    raise ProtocolError("packet", f"expected a packet such as 2 or 42[...], got {text[:20]!r}")


def write_open(message: Open) -> str:
    """The packet that must be the server's first."""
    data = {
        "sid": message.sid,
        "upgrades": [],
        "pingInterval": round(1000 * message.ping_interval),
        "pingTimeout": round(1000 * message.ping_timeout),
    }
    return "0" + _json(data)


def write_connect(sid: str | None = None) -> str:
    """`40`, with an identifier where one is given."""
    return "40" if sid is None else "40" + _json({"sid": sid})


def write_ping(data: str = "") -> str:
    """`2`, with data to be returned."""
    return "2" + data


def write_pong(data: str = "") -> str:
    """`3`, with the data of the ping that it answers."""
    return "3" + data


def write_telemetry(telemetry: Telemetry) -> str:
    """A telemetry event as the simulator writes it: four strings, numbers to four digits."""
    mark = telemetry.decimal
    data = {
        "steering_angle": write_n4(telemetry.steering_angle, mark),
        "throttle": write_n4(telemetry.throttle, mark),
        "speed": write_n4(telemetry.speed, mark),
        "image": base64.b64encode(telemetry.image).decode("ascii"),
    }
    return _event("telemetry", data)


def write_manual_telemetry() -> str:
    """What the simulator sends while a person holds the keys."""
    return _event("telemetry", None)


def write_steer(command: Command, decimal: Decimal = ".") -> str:
    """A steer event: values cut to [-1, 1], four digits, in the simulator's locale.

    Raises:
        ProtocolError: If a value is not finite; the simulator would stall.
    """
    data = {
        "steering_angle": _steer_text("steering", command.steering, decimal),
        "throttle": _steer_text("throttle", command.throttle, decimal),
    }
    return _event("steer", data)


def write_manual() -> str:
    """The answer to telemetry without data."""
    return _event("manual", {})


def _steer_text(name: str, value: float, decimal: Decimal) -> str:
    try:
        return write_steer_number(value, decimal)
    except ValueError as fault:
        raise ProtocolError("number", f"{name}: {fault}") from fault


def _json(data: object) -> str:
    return json.dumps(data, separators=(",", ":"))


def _event(name: str, data: object) -> str:
    return "42" + _json([name, data])


def _parse(text: str) -> Any:  # noqa: ANN401 - whatever the other end wrote
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise ProtocolError("json", f"expected JSON, got {text[:20]!r}") from fault


def _read_connect(text: str) -> Connect:
    """Servers send an identifier or nothing; clients nothing, `{}` or their credentials."""
    if text and not text.startswith("{"):
        raise ProtocolError("packet", f"expected 40 or 40{{...}}, got 40{text[:20]}")
    sid = _parse(text).get("sid") if text else None
    return Connect(sid if isinstance(sid, str) else None)


def _read_open(text: str) -> Open:
    data = _parse(text)
    try:
        interval, timeout = float(data["pingInterval"]), float(data["pingTimeout"])
        return Open(str(data["sid"]), interval / 1000, timeout / 1000)
    except (TypeError, KeyError, ValueError, OverflowError) as fault:
        wanted = "open needs sid, pingInterval and pingTimeout"
        raise ProtocolError("field", f"{wanted}, got {text[:40]!r}") from fault


_PLAIN: dict[str, Message] = {"1": Close(), "41": Close(), "5": Ignored(), "6": Ignored()}
_WITH_DATA: dict[str, Callable[[str], Message]] = {
    "40": _read_connect,
    "0": _read_open,
    "2": Ping,
    "3": Pong,
}


def _read_event(text: str, decimal: Decimal) -> Message:
    text = text.lstrip("0123456789")  # digits before the list ask for an acknowledgement
    try:
        event = _parse(text)
    except ProtocolError as fault:
        if text.startswith('["telemetry"'):
            raise TelemetryError(fault.cause, str(fault)) from fault
        raise
    if not (isinstance(event, list) and event and isinstance(event[0], str)):
        raise ProtocolError("event", f"expected [name, data], got {text[:20]!r}")
    name, data = event[0], event[1] if len(event) > 1 else None
    if name == "telemetry":
        return _read_telemetry(data) if data else _no_telemetry(data)
    if name == "steer":
        return _read_steer(data, decimal)
    if name == "manual":
        return Manual()
    raise ProtocolError("event", f"expected telemetry, steer or manual, got {name[:20]!r}")


def _no_telemetry(data: object) -> ManualTelemetry:
    if data is None or data == {}:
        return ManualTelemetry()
    raise TelemetryError("field", f"telemetry holds {data!r}; expected an object or null")


def _text(data: object, name: str) -> str:
    value = data.get(name) if isinstance(data, dict) else None
    if isinstance(value, str):
        return value
    raise TelemetryError("field", f"{name} must be a string, got {type(value).__name__}")


def _read_telemetry(data: object) -> Telemetry:
    numbers = [
        _read_n4(_text(data, name), name) for name in ("steering_angle", "throttle", "speed")
    ]
    marks = {mark for _, mark in numbers}
    if len(marks) > 1:
        raise TelemetryError(
            "decimal", "numbers of one telemetry differ in their decimal separator"
        )
    try:
        image = base64.b64decode(_text(data, "image").encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError) as fault:
        raise TelemetryError("base64", f"image is not base64: {fault}") from fault
    steering_angle, throttle, speed = (value for value, _ in numbers)
    return Telemetry(steering_angle, throttle, speed, image, marks.pop())


def _read_n4(text: str, name: str) -> tuple[float, Decimal]:
    try:
        return read_n4(text)
    except ValueError as fault:
        raise TelemetryError("number", f"{name}: {fault}") from fault


def _read_steer(data: object, decimal: Decimal) -> Command:
    values = []
    for name in ("steering_angle", "throttle"):
        text = data.get(name) if isinstance(data, dict) else None
        if not isinstance(text, str):
            raise ProtocolError(
                "field", f"steer's {name} must be a string, got {type(text).__name__}"
            )
        try:
            values.append(read_steer_number(text, decimal))
        except ValueError as fault:
            raise ProtocolError("number", f"{name}: {fault}") from fault
    return Command(values[0], values[1])
