"""The stand-in as a client: what a server sees of it, and what it makes of the replies."""

import asyncio
import base64
import errno
import io
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.sync.server import ServerConnection, serve

from drive.udacity.bridge import Bridge
from drive.udacity.cli import main
from drive.udacity.frames import decode
from drive.udacity.protocol import Command, Telemetry
from drive.udacity.simulator import Simulator
from drive.udacity.simulator.cabin import Cabin, Summary
from drive.udacity.simulator.client import Client
from drive.udacity.simulator.client_config import ClientConfig
from drive.udacity.simulator.config import StandInConfig
from drive.udacity.simulator.errors import SimulatorError
from drive.udacity.simulator.side_channel import SideChannel, open_side_channel
from drive.udacity.simulator.stand_in import run
from drive.udacity.simulator.supervision import Supervisor

STEER = '42["steer",{"steering_angle":"0.1000","throttle":"0.5000"}]'
Handler = Callable[[ServerConnection], None]


@pytest.fixture(scope="module")
def lake() -> Simulator:
    simulator = Simulator("lake")
    simulator.frame()
    return simulator


@contextmanager
def served(handler: Handler, port: int = 0) -> Iterator[int]:
    """A server of the tests' own: it says `0`, `40`, and what the handler says."""

    def greet(line: ServerConnection) -> None:
        line.send('0{"sid":"x","upgrades":[],"pingInterval":25000,"pingTimeout":60000}')
        line.send("40")
        handler(line)

    with serve(greet, "127.0.0.1", port, compression=None, max_size=None) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.socket.getsockname()[1]
        server.shutdown()
        thread.join(5)


def drive(simulator: Simulator, port: int, **options: Any) -> Summary:  # noqa: ANN401
    """Runs the client until its seconds are over."""
    simulator.reset()
    cabin = {name: options.pop(name) for name in ("manual", "decimal") if name in options}
    config = ClientConfig(port=port, clock=options.pop("clock", "lockstep"), **options, **{
        name: cabin[name] for name in cabin if name == "decimal"
    })  # fmt: skip
    client = Client(Cabin(simulator, **cabin), config)
    return asyncio.run(asyncio.wait_for(client.run(), 30))


def telemetry_in(line: ServerConnection) -> Any:  # noqa: ANN401
    """The data of the next telemetry, other packets passed over."""
    while True:
        text = str(line.recv(timeout=10))
        if text.startswith("42"):
            name, data = json.loads(text[2:])
            assert name == "telemetry"
            return data


def test_it_opens_as_the_unity_client_does(lake: Simulator) -> None:
    seen: dict[str, Any] = {}

    def handler(line: ServerConnection) -> None:
        assert line.request is not None
        seen.update(path=line.request.path, headers=dict(line.request.headers.raw_items()))
        packets: list[list[str]] = []
        while len(packets) < 2:
            packets.append([str(piece) for piece in line.recv_streaming()])
        seen["packets"] = packets
        line.send(STEER)
        telemetry_in(line)
        line.send("2")
        while (text := str(line.recv(timeout=10))).startswith("42"):
            line.send(STEER)
        seen["pong"] = text
        while True:
            line.send(STEER)
            telemetry_in(line)

    with served(handler) as port:
        drive(lake, port, seconds=0.6)
    assert seen["path"] == "/socket.io/?EIO=4&transport=websocket"
    names = {name.lower() for name in seen["headers"]}
    assert not names & {"origin", "sec-websocket-extensions"}
    whole = ["".join(pieces) for pieces in seen["packets"]]
    assert "2" in whole
    assert "40" not in whole
    (pieces,) = (pieces for pieces in seen["packets"] if len(pieces) > 1)
    assert max(len(piece) for piece in pieces) <= 1016
    assert seen["pong"] == "3"


def test_a_telemetry_holds_four_strings_and_a_frame(lake: Simulator) -> None:
    heard: list[dict[str, str]] = []

    def handler(line: ServerConnection) -> None:
        while True:
            heard.append(telemetry_in(line))
            line.send(STEER)

    with served(handler) as port:
        drive(lake, port, seconds=0.3)
    assert heard[0].keys() == {"steering_angle", "throttle", "speed", "image"}
    assert [heard[0][name] for name in ("steering_angle", "throttle", "speed")] == ["0.0000"] * 3
    # 0.1 of 25 degrees; and 2.65 m/s2 for 0.06 s is 0.3556 mph.
    assert [heard[1][name] for name in ("steering_angle", "throttle")] == ["2.5000", "0.5000"]
    assert float(heard[1]["speed"]) == pytest.approx(0.3556, abs=0.003)
    assert decode(base64.b64decode(heard[0]["image"])).shape == (160, 320, 3)


def test_lock_step_goes_on_by_the_period_with_each_reply_and_repeats(lake: Simulator) -> None:
    def handler(line: ServerConnection) -> None:
        for number in range(1000):
            steering = 0.3 * np.sin(number)
            telemetry_in(line)
            line.send(f'42["steer",{{"steering_angle":"{steering:.4f}","throttle":"1.0"}}]')

    paths = []
    with served(handler) as port:
        for period in (0.06, 0.06, 0.1):
            summary = drive(lake, port, seconds=3.0, period=period)
            assert summary.seconds == pytest.approx(3.0)
            assert summary.telemetries == round(3.0 / period)
            paths.append((lake.state.x, lake.state.y))
    assert paths[0] == paths[1] != paths[2]


def test_real_time_waits_for_nobody(lake: Simulator) -> None:
    def handler(line: ServerConnection) -> None:
        telemetry_in(line)
        line.send(STEER)  # and never again: the command stays latched
        for _ in line:
            pass

    with served(handler) as port:
        start = time.monotonic()
        summary = drive(lake, port, clock="real", seconds=1.5)
        assert time.monotonic() - start == pytest.approx(1.5, abs=0.5)
    assert summary.telemetries <= 3, "two at the opening, one for the reply"
    assert lake.state.speed > 2.0, "the car drives on"


def test_it_retries_until_the_port_opens_and_comes_back_after_a_drop(lake: Simulator) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def handler(line: ServerConnection) -> None:
        for _ in range(5):
            telemetry_in(line)
            line.send(STEER)
        line.socket.close()

    result: list[Summary] = []
    client = threading.Thread(target=lambda: result.append(drive(lake, port, seconds=1.0)))
    client.start()
    time.sleep(0.5)
    with served(handler, port):
        client.join(20)
    assert result[0].connections >= 3
    assert result[0].seconds == pytest.approx(1.02)


@pytest.mark.parametrize(
    "reply",
    [
        '42["steer",{"steering_angle":0.1,"throttle":"0.2"}]',
        '42["steer",{"steering_angle":"0.1"}]',
        '42["steer",{"steering_angle":"[[0.1]]","throttle":"0.2"}]',
        '42["steer",{"steering_angle":"nan","throttle":"0.2"}]',
    ],
)
def test_a_malformed_reply_stalls_the_drive_as_the_real_one(lake: Simulator, reply: str) -> None:
    silent: list[bool] = []

    def handler(line: ServerConnection) -> None:
        telemetry_in(line)
        line.send(reply)
        try:
            telemetry_in_time = line.recv(timeout=0.3)
            silent.append(telemetry_in_time == "2")
        except TimeoutError:
            silent.append(True)
        while True:
            line.send(STEER)
            telemetry_in(line)

    with served(handler) as port:
        summary = drive(lake, port, seconds=0.3)
    assert silent == [True]
    assert summary.unread == 1


def test_in_a_comma_locale_it_writes_and_reads_commas(lake: Simulator) -> None:
    heard: list[dict[str, str]] = []

    def handler(line: ServerConnection) -> None:
        while True:
            heard.append(telemetry_in(line))
            line.send('42["steer",{"steering_angle":"0,5000","throttle":"0.05"}]')

    with served(handler) as port:
        drive(lake, port, seconds=0.12, decimal=",")
    assert heard[0]["speed"] == "0,0000"
    assert heard[1]["steering_angle"] == "12,5000"
    assert heard[1]["throttle"] == "1,0000", "a comma locale reads 0.05 as 5"


def test_while_a_person_holds_the_keys_it_sends_null_and_wants_manual(lake: Simulator) -> None:
    heard: list[Any] = []

    def handler(line: ServerConnection) -> None:
        while True:
            heard.append(telemetry_in(line))
            line.send('42["manual",{}]' if heard[-1] is None else STEER)

    with served(handler) as port:
        drive(lake, port, seconds=1.2, manual=(0.3, 0.9))
    nulls = [number for number, data in enumerate(heard) if data is None]
    assert nulls == list(range(5, 15))


class Turner:
    """Always answers the same."""

    def __init__(self, steering: float) -> None:
        self.steering = steering

    def reset(self) -> None:
        """Keeps nothing."""

    def drive(self, frame: object, telemetry: Telemetry) -> Command:  # noqa: ARG002
        return Command(self.steering, 1.0)


class Weaver:
    """Decides by every pixel that it is shown."""

    def reset(self) -> None:
        self.number = 0

    def drive(self, frame: Any, telemetry: Telemetry) -> Command:  # noqa: ANN401, ARG002
        self.number += 1
        return Command(float(np.sin(frame.astype(float).sum() + self.number)), 0.8)


def test_lock_step_through_the_bridge_is_the_loop_in_process_bit_for_bit(
    lake: Simulator, serve: Callable[..., Bridge]
) -> None:
    bridge = serve(Weaver)
    drive(lake, bridge.port, seconds=1.8)
    through = lake.state
    lake.reset()
    cabin, weaver = Cabin(lake), Weaver()
    weaver.reset()
    for _ in range(30):
        told = cabin.telemetry()
        assert isinstance(told, Telemetry)
        command = weaver.drive(decode(told.image), told)
        cabin.take(Command(round(command.steering, 4), round(command.throttle, 4)))
        cabin.advance(3)
    assert asdict(lake.state) == asdict(through)


def test_the_side_channel_tells_what_the_protocol_does_not(
    lake: Simulator, tmp_path: Path, serve: Callable[..., Bridge]
) -> None:
    lake.reset()
    file = tmp_path / "side" / "channel.jsonl"
    with open_side_channel(file) as side_channel:
        config = ClientConfig(port=serve(lambda: Turner(0.3)).port, clock="lockstep", seconds=9.0)
        summary = asyncio.run(Client(Cabin(lake), config, side_channel).run())
    *moments, last = (json.loads(line) for line in file.read_text().splitlines())
    assert last == {"summary": asdict(summary)}
    assert len(moments) == 150
    lake.reset()
    supervisor = Supervisor(lake)
    for moment in moments:
        state = supervisor.step(0.3, 1.0, 0.06)
        assert moment["x"] == state.x
        assert moment["lateral_error"] == state.lateral_error
        assert moment["interventions"] == supervisor.interventions
    assert summary.interventions == supervisor.interventions > 0
    assert summary.autonomy == max(0.0, 1.0 - 6.0 * summary.interventions / 9.0)
    assert 0.0 < summary.lateral_rmse < summary.lateral_max < 4.0


class Full(io.StringIO):
    """A file on a disk without room."""

    name = "drive.jsonl"

    def write(self, text: str) -> int:  # noqa: ARG002
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_report_that_cannot_be_written_ends_the_drive(
    lake: Simulator, serve: Callable[..., Bridge]
) -> None:
    config = ClientConfig(port=serve(lambda: Turner(0.3)).port, clock="lockstep", seconds=600.0)
    with pytest.raises(SimulatorError, match=r"drive.jsonl: cannot be written \(No space left"):
        asyncio.run(Client(Cabin(lake), config, SideChannel(Full())).run())


def test_a_report_to_standard_output_is_alone_there(
    serve: Callable[..., Bridge], capsys: pytest.CaptureFixture[str]
) -> None:
    port = serve(lambda: Turner(0.0)).port
    main(f"--port {port} --clock lockstep --seconds 0.3 --report -".split())
    said = capsys.readouterr()
    assert [next(iter(json.loads(line))) for line in said.out.splitlines()] == ["x"] * 5 + [
        "summary"
    ]
    assert "autonomy: 1" in said.err


def test_its_own_driver_drives_whatever_is_answered(serve: Callable[..., Bridge]) -> None:
    config = StandInConfig(
        driver="scripted", clock="lockstep", port=serve(lambda: Turner(1.0)).port, seconds=6.0
    )
    summary = run(config)
    assert isinstance(summary, Summary)
    assert summary.lateral_max < 0.5
    assert summary.interventions == 0
