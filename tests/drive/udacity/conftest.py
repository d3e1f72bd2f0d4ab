"""A client that frames its messages as the Unity program does, on a plain socket."""

import base64
import json
import os
import socket
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from drive.udacity.bridge import Bridge, MakeDriver, in_background
from drive.udacity.bridge_config import BridgeConfig
from drive.udacity.frame_shape import Frame
from drive.udacity.limits import Limits
from drive.udacity.protocol import Command, Telemetry

FRAGMENT = 1016
PATIENT = Limits(stale_after=10.0, stop=1.0)
"""For machines that do other things besides."""

PATH = "/socket.io/?EIO=4&transport=websocket"


class RawSimulator:
    """Never sends 40, no Origin, no compression, fragments above 1016 bytes."""

    def __init__(self, port: int, path: str = PATH, headers: str = "") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n{headers}"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.corked: bytes | None = None
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self._more()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])

    def frame(self, opcode: int, payload: bytes, *, last: bool = True) -> None:
        first = opcode | (0x80 if last else 0)
        size = len(payload)
        if size < 126:
            head = struct.pack(">BB", first, 0x80 | size)
        elif size < 65536:
            head = struct.pack(">BBH", first, 0x80 | 126, size)
        else:
            head = struct.pack(">BBQ", first, 0x80 | 127, size)
        data = head + bytes(4) + payload  # a mask of zeros
        if self.corked is None:
            self.socket.sendall(data)
        else:
            self.corked += data

    def cork(self) -> None:
        """Collects what is sent until `uncork` sends it in one piece."""
        self.corked = b""

    def uncork(self) -> None:
        data, self.corked = self.corked, None
        self.socket.sendall(data or b"")

    def send(self, text: str) -> None:
        data = text.encode()
        pieces = [data[i : i + FRAGMENT] for i in range(0, len(data), FRAGMENT)] or [b""]
        for i, piece in enumerate(pieces):
            self.frame(1 if i == 0 else 0, piece, last=i == len(pieces) - 1)

    def receive(self, timeout: float = 5.0) -> str:
        """The next text; EOFError once the server has closed, TimeoutError if nothing comes."""
        self.socket.settimeout(timeout)
        opcode, size = self._exactly(2)
        if size == 126:
            (size,) = struct.unpack(">H", self._exactly(2))
        payload = self._exactly(size)
        if opcode & 0x0F == 8:
            raise EOFError(struct.unpack(">H", payload[:2])[0])
        return payload.decode()

    def steer(self, timeout: float = 5.0) -> dict[str, str]:
        """The data of the next packet, which must be a steer event."""
        text = self.receive(timeout)
        assert text.startswith("42"), text
        name, data = json.loads(text[2:])
        assert name == "steer"
        assert set(data) == {"steering_angle", "throttle"}
        return dict(data)

    def open(self) -> dict[str, Any]:
        """Takes the two packets of the handshake; the first one's data."""
        opened = self.receive()
        assert opened.startswith("0{")
        assert self.receive() == "40"
        return dict(json.loads(opened[1:]))

    def close(self) -> None:
        self.socket.close()

    def reset(self) -> None:
        """Vanishes without a farewell."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def _more(self) -> bytes:
        data = self.socket.recv(65536)
        if not data:
            raise EOFError
        return data

    def _exactly(self, size: int) -> bytes:
        while len(self.buffer) < size:
            self.buffer += self._more()
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data


class Scripted:
    """A driver that does as told: a command, an exception to raise, or a function of the frame."""

    def __init__(self, *answers: object, then: object = Command(0.1, 0.2)) -> None:
        self.answers = list(answers)
        self.then = then
        self.frames: list[Frame] = []
        self.telemetries: list[Telemetry] = []
        self.resets = 0

    def reset(self) -> None:
        self.resets += 1

    def drive(self, frame: Frame, telemetry: Telemetry) -> Command:
        self.frames.append(frame)
        self.telemetries.append(telemetry)
        answer: Any = self.answers.pop(0) if self.answers else self.then
        if isinstance(answer, Exception):
            raise answer
        command: Command = answer(frame, telemetry) if callable(answer) else answer
        return command


def telemetry_text(
    jpeg: bytes, speed: str = "10.0000", steering: str = "0.0000", throttle: str = "0.0000"
) -> str:
    """What the C# code sends, written independently of the package."""
    image = base64.b64encode(jpeg).decode()
    return (
        f'42["telemetry",{{"steering_angle":"{steering}","throttle":"{throttle}",'
        f'"speed":"{speed}","image":"{image}"}}]'
    )


@pytest.fixture
def telemetry(jpeg: bytes) -> Callable[..., str]:
    def write(speed: str = "10.0000", image: bytes = jpeg, **fields: str) -> str:
        return telemetry_text(image, speed, **fields)

    return write


@pytest.fixture(scope="session")
def jpeg() -> bytes:
    """About 10 kB, as the simulator's are."""
    rng = np.random.default_rng(0)
    picture = cv2.resize(rng.integers(0, 255, (20, 40, 3), dtype=np.uint8), (320, 160))
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 75])
    assert done
    return bytes(data)


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted


@pytest.fixture
def serve() -> Iterator[Callable[..., Bridge]]:
    """Opens bridges on free ports, with any of the limits changed; all are closed at the end."""
    opened: list[Any] = []

    def start(make_driver: MakeDriver, **limits: Any) -> Bridge:  # noqa: ANN401
        config = BridgeConfig(port=0, limits=replace(PATIENT, **limits))
        context = in_background(make_driver, config)
        opened.append(context)
        return context.__enter__()

    yield start
    for context in opened:
        context.__exit__(None, None, None)


@pytest.fixture
def simulator() -> Iterator[Callable[..., RawSimulator]]:
    """Connects raw clients; all are closed at the end."""
    clients: list[RawSimulator] = []

    def connect(bridge: Bridge, *, greeted: bool = True, **options: str) -> RawSimulator:
        client = RawSimulator(bridge.port, **options)
        clients.append(client)
        if greeted:
            client.open()
        return client

    yield connect
    for client in clients:
        client.close()


@pytest.fixture
def eventually() -> Callable[..., None]:
    """Waits until a condition holds."""

    def wait(condition: Callable[[], bool], seconds: float = 5.0) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it never came to hold"
            time.sleep(0.005)

    return wait
