"""What the Udacity bridge itself costs: telemetries per second and reply latency, without a policy.

The bridge runs in a process of its own, as it does in use, and decodes every image. A client beside
it, which frames messages as the Unity program does, sends the next telemetry on each reply. Latency
is the client's: from the first byte sent to the last byte read.

    python benchmarks/bridge_speed.py --json benchmarks/results/bridge_speed.json
"""

import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import cv2
import numpy as np
import tyro
from rich.console import Console
from rich.table import Table
from websockets.sync.client import ClientConnection, connect

from drive.udacity.bridge import in_background
from drive.udacity.bridge_config import BridgeConfig
from drive.udacity.frame_shape import FRAME_SHAPE, Frame
from drive.udacity.frames import encode
from drive.udacity.protocol import Command, Telemetry, write_telemetry

FRAGMENT = 1016
"""Bytes after which the Unity program's websocket begins another frame."""


@dataclass(frozen=True)
class Options:
    """What to measure.

    Attributes:
        json: Also write the results to this file.
        clients: Simulators at the same time, one case each.
        telemetries: Of each case and repetition.
        repetitions: Of each case; the median counts.
    """

    json: Path | None = None
    clients: tuple[int, ...] = (1, 4)
    telemetries: int = 2000
    repetitions: int = 5


@dataclass(frozen=True)
class Result:
    """Of one case.

    Attributes:
        clients: At the same time.
        image_bytes: Of the JPEG.
        per_second: Telemetries answered, of all clients together.
        p50_ms: Median latency of a reply.
        p99_ms: 99 of 100 replies came within that.
    """

    clients: int
    image_bytes: int
    per_second: float
    p50_ms: float
    p99_ms: float


class Straight:
    """Decides at once."""

    def reset(self) -> None:
        """Has nothing to forget."""

    def drive(self, frame: Frame, telemetry: Telemetry) -> Command:  # noqa: ARG002
        """Straight on."""
        return Command(0.0, 0.2)


def image() -> bytes:
    """A picture whose JPEG has about 10 kB, as the simulator's."""
    rng = np.random.default_rng(0)
    coarse = rng.integers(0, 255, (20, 40, 3), dtype=np.uint8)
    return encode(np.asarray(cv2.resize(coarse, FRAME_SHAPE[1::-1]), dtype=np.uint8))


def serve(pipe: Connection) -> None:
    """The bridge's process: tells its port, ends when told."""
    with in_background(Straight, BridgeConfig(port=0)) as bridge:
        pipe.send(bridge.port)
        pipe.recv()


@contextmanager
def bridge_process() -> Iterator[int]:
    """A bridge in another process; its port."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(there,))
    process.start()
    try:
        yield here.recv()
    finally:
        here.send(None)
        process.join()


def open_client(port: int, stack: ExitStack) -> ClientConnection:
    """A simulator that has been greeted."""
    address = f"ws://127.0.0.1:{port}/socket.io/?EIO=4&transport=websocket"
    client = stack.enter_context(connect(address, compression=None, ping_interval=None))
    client.recv(), client.recv()
    return client


def measure(port: int, clients: int, telemetries: int) -> tuple[float, list[float]]:
    """Rate of all clients together, and the latencies, in seconds."""
    text = write_telemetry(Telemetry(0.0, 0.2, 4.0, image()))
    pieces = [text[i : i + FRAGMENT] for i in range(0, len(text), FRAGMENT)]
    latencies = []
    with ExitStack() as stack:
        connections = [open_client(port, stack) for _ in range(clients)]
        begin = time.perf_counter()
        for _ in range(telemetries // clients):
            starts = []
            for connection in connections:
                starts.append(time.perf_counter())
                connection.send(pieces)
            for connection, start in zip(connections, starts, strict=True):
                reply = connection.recv()
                latencies.append(time.perf_counter() - start)
                assert reply == '42["steer",{"steering_angle":"0.0000","throttle":"0.2000"}]'
        seconds = time.perf_counter() - begin
    return len(latencies) / seconds, latencies


def case(port: int, clients: int, options: Options) -> Result:
    """Measures one case."""
    measure(port, clients, 200)
    runs = [measure(port, clients, options.telemetries) for _ in range(options.repetitions)]
    latencies = 1e3 * np.concatenate([latency for _, latency in runs])
    p50, p99 = np.quantile(latencies, [0.5, 0.99])
    rate = float(np.median([rate for rate, _ in runs]))
    return Result(clients, len(image()), round(rate, 1), round(float(p50), 2), round(float(p99), 2))


def main() -> None:
    """Measures and prints all cases."""
    options = tyro.cli(Options, description=__doc__)
    with bridge_process() as port:
        results = [case(port, clients, options) for clients in options.clients]
    table = Table(*Result.__dataclass_fields__)
    for result in results:
        table.add_row(*map(str, asdict(result).values()))
    Console().print(table)
    if options.json is not None:
        found = {"cores": os.cpu_count(), "results": [asdict(result) for result in results]}
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
