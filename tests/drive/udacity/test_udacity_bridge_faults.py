"""What goes wrong in the wild: the car drives on or stops, and every fault is counted."""

import logging
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from drive.udacity import bridge as bridges
from drive.udacity.bridge import Bridge, Driver
from drive.udacity.faults import CAUSES
from drive.udacity.protocol import Command

Serve = Callable[..., Bridge]
Simulator = Callable[..., Any]
Write = Callable[..., str]
Wait = Callable[..., None]
MakeScripted = Callable[..., Any]
FIRST = {"steering_angle": "0.3000", "throttle": "0.8000"}
THEN = {"steering_angle": "0.1000", "throttle": "0.2000"}


def test_a_driver_that_raises_goes_on(
    serve: Serve,
    simulator: Simulator,
    telemetry: Write,
    scripted: MakeScripted,
    caplog: pytest.LogCaptureFixture,
) -> None:
    answers = (Command(0.3, 0.8), Command(0.3, 0.8), ZeroDivisionError("on frame 3"))
    bridge = serve(lambda: scripted(*answers))
    client = simulator(bridge)
    with caplog.at_level(logging.WARNING, "drive.udacity"):
        for expected in (FIRST, FIRST, FIRST, THEN):
            client.send(telemetry())
            assert client.steer() == expected
    assert bridge.faults.counts == {"driver_error": 1}
    assert "ZeroDivisionError: on frame 3" in caplog.text


def test_a_driver_that_wants_to_leave_goes_on(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    bridge = serve(lambda: scripted(Command(0.3, 0.8), lambda *_: sys.exit("enough")))
    client = simulator(bridge)
    for expected in (FIRST, FIRST, THEN):
        client.send(telemetry())
        assert client.steer() == expected
    assert bridge.faults.counts == {"driver_error": 1}


class Touchy:
    """Raises when it is looked at."""

    throttle = 0.0

    @property
    def steering(self) -> float:
        raise RuntimeError("do not look")


def test_a_driver_that_keeps_raising_stops_the_car(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    bridge = serve(lambda: scripted(Command(0.3, 0.8), then=KeyError("gone")), most_repeats=3)
    client = simulator(bridge)
    throttles = []
    for speed in ["20.0000"] * 6 + ["5.0000"]:
        client.send(telemetry(speed))
        throttles.append(client.steer()["throttle"])
    assert throttles == ["0.8000"] * 4 + ["-1.0000"] * 2 + ["0.0000"]
    assert bridge.faults.counts == {"driver_error": 6, "stale_command": 3}


@pytest.mark.parametrize(
    "answer",
    [
        Command(float("nan"), 0.1),
        Command(0.1, np.float32("inf")),  # type: ignore[arg-type]
        SimpleNamespace(steering=np.array([0.1, 0.2]), throttle=0.0),
        SimpleNamespace(steering=None, throttle=0.0),
        0.1,
        None,
        Touchy(),
    ],
)
def test_a_driver_without_an_answer_goes_on(
    answer: object, serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    bridge = serve(lambda: scripted(Command(0.3, 0.8), answer))
    client = simulator(bridge)
    for expected in (FIRST, FIRST, THEN):
        client.send(telemetry())
        assert client.steer() == expected
    assert bridge.faults.counts == {"driver_output": 1}


@pytest.mark.parametrize(
    ("steering", "text"),
    [
        (np.array([[0.5]]), "0.5000"),
        (np.float32(1e-5), "0.0000"),
        (np.array([[-0.0625]], dtype=np.float32), "-0.0625"),
        (1.7, "1.0000"),
        (-1e9, "-1.0000"),
    ],
)
def test_the_reply_is_one_decimal_within_limits(
    steering: object,
    text: str,
    serve: Serve,
    simulator: Simulator,
    telemetry: Write,
    scripted: MakeScripted,
) -> None:
    answer = SimpleNamespace(steering=steering, throttle=np.float32(0.25))
    client = simulator(serve(lambda: scripted(answer)))
    client.send(telemetry())
    assert client.steer() == {"steering_angle": text, "throttle": "0.2500"}


def test_a_driver_that_cannot_be_made_stops_the_car(
    serve: Serve, simulator: Simulator, telemetry: Write
) -> None:
    def make() -> Driver:
        raise RuntimeError("no weights")

    bridge = serve(make)
    client = simulator(bridge)
    client.send(telemetry("20.0000"))
    assert client.steer()["throttle"] == "-1.0000"
    assert bridge.faults.counts == {"driver_error": 1, "stale_command": 1}


def test_a_reset_that_fails_is_tried_again(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    driver = scripted()

    def reset() -> None:
        driver.resets += 1
        if driver.resets == 1:
            raise ValueError("not yet")

    driver.reset = reset
    client = simulator(serve(lambda: driver))
    client.send(telemetry("3.0000"))
    assert client.steer()["throttle"] == "0.0000"
    client.send(telemetry())
    assert client.steer() == THEN
    assert driver.resets == 2


def test_images_that_are_none_hold_the_last_command(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted, jpeg: bytes
) -> None:
    driver = scripted(Command(0.3, 0.8))
    bridge = serve(lambda: driver)
    client = simulator(bridge)
    client.send(telemetry())
    assert client.steer() == FIRST
    for image in (b"", jpeg[: len(jpeg) // 2], jpeg[:20], b"GIF89a", jpeg[:-2]):
        client.send(telemetry(image=image))
        assert client.steer() == FIRST
    client.send(telemetry())
    assert client.steer() == THEN
    assert len(driver.frames) == 2
    assert bridge.faults.counts == {"image": 5}


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ('"speed":"10.0000"', '"speed":10.0', "field"),
        ('"speed":"10.0000",', "", "field"),
        ('"10.0000"', '"fast"', "number"),
        ('"10.0000"', '"10,0000"', "decimal"),
        ('"image":"', '"image":"*', "base64"),
        ("}]", "", "json"),
    ],
)
def test_telemetry_that_cannot_be_read_is_answered_all_the_same(
    old: str,
    new: str,
    cause: str,
    serve: Serve,
    simulator: Simulator,
    telemetry: Write,
    scripted: MakeScripted,
) -> None:
    bridge = serve(lambda: scripted(Command(0.3, 0.8)))
    client = simulator(bridge)
    client.send(telemetry())
    assert client.steer() == FIRST
    client.send(telemetry().replace(old, new))
    assert client.steer() == FIRST
    client.send(telemetry())
    assert client.steer() == THEN
    assert bridge.faults.counts == {cause: 1}


def test_a_car_that_cannot_be_read_is_braked_but_not_reversed(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    """Its speed stays unknown: full braking takes 20 mph below 5 within 0.84 s."""
    bridge = serve(lambda: scripted(Command(0.3, 0.8)), most_repeats=1)
    client = simulator(bridge)
    unreadable = telemetry("20.0000").replace('"image":"', '"image":"*')
    client.send(telemetry("20.0000"))
    throttles = [client.steer()["throttle"]]
    for pause in (0.0, 0.0, 0.3, 0.7):
        time.sleep(pause)
        client.send(unreadable)
        throttles.append(client.steer()["throttle"])
    assert throttles == ["0.8000", "0.8000", "-1.0000", "-1.0000", "0.0000"]


def test_other_packets_are_counted_and_not_answered(
    serve: Serve, simulator: Simulator, scripted: MakeScripted, eventually: Wait
) -> None:
    bridge = serve(scripted)
    client = simulator(bridge)
    client.frame(2, b"\x00\x01")
    for text in ("", "hello", "42[", '42["reset",{}]', '42["steer",{"steering_angle":1}]', "40x"):
        client.send(text)
    client.send("2")
    assert client.receive() == "3"
    assert bridge.faults.counts == {"binary": 1, "packet": 3, "json": 1, "event": 1, "field": 1}


@pytest.mark.parametrize(
    ("opcode", "payload", "code", "cause"),
    [
        (1, b"\xff\xfe", 1007, "utf8"),
        (3, b"", 1002, "websocket"),
        (0, b"no beginning", 1002, "websocket"),
        (1, bytes(4 * 2**20 + 1), 1009, "too_large"),
    ],
)
def test_what_is_no_websocket_message_is_hung_up_on(
    opcode: int,
    payload: bytes,
    code: int,
    cause: str,
    serve: Serve,
    simulator: Simulator,
    scripted: MakeScripted,
    eventually: Wait,
) -> None:
    bridge = serve(scripted)
    client = simulator(bridge)
    client.frame(opcode, payload)
    with pytest.raises(EOFError, match=str(code)):
        client.receive()
    client.close()
    eventually(lambda: bridge.status().clients == 0)
    assert bridge.faults.counts == {cause: 1}


def test_a_message_of_4_megabytes_is_read(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    bridge = serve(scripted)
    client = simulator(bridge)
    client.send(telemetry(image=b"\xff\xd8" + bytes(3_000_000)))
    assert client.steer()["throttle"] == "-1.0000"
    assert bridge.faults.counts == {"image": 1, "stale_command": 1}


def test_a_client_that_falls_silent_is_let_go(
    serve: Serve, simulator: Simulator, scripted: MakeScripted
) -> None:
    bridge = serve(scripted, silence=0.1)
    client = simulator(bridge)
    with pytest.raises(EOFError):
        client.receive()
    assert bridge.faults.counts == {"silent": 1}


def test_a_client_that_never_reads_is_let_go(
    serve: Serve, simulator: Simulator, scripted: MakeScripted, eventually: Wait
) -> None:
    bridge = serve(scripted, unread=0.2)
    client = simulator(bridge, greeted=False)
    client.socket.settimeout(0.05)
    end = time.monotonic() + 8
    while not bridge.faults.counts["unread"]:
        assert time.monotonic() < end
        try:
            client.frame(1, b"2" + b"x" * 60_000)
        except (TimeoutError, OSError):
            continue
    eventually(lambda: bridge.status().clients == 0)


def test_a_client_too_many_is_sent_away(
    serve: Serve, simulator: Simulator, scripted: MakeScripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridges, "MAX_CLIENTS", 1)
    bridge = serve(scripted)
    simulator(bridge)
    second = simulator(bridge, greeted=False)
    with pytest.raises(EOFError, match="1013"):
        second.receive()
    assert bridge.faults.counts == {"busy": 1}


def test_an_error_of_the_bridge_is_not_hidden(
    serve: Serve,
    simulator: Simulator,
    telemetry: Write,
    scripted: MakeScripted,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bridge = serve(scripted)
    with monkeypatch.context() as broken:
        broken.setattr("drive.udacity.session.read", lambda _: 1 / 0)
        client = simulator(bridge)
        client.send("2")
        with pytest.raises(EOFError):
            client.receive()
    assert bridge.faults.counts == {"bridge": 1}
    second = simulator(bridge)
    second.send(telemetry())
    assert second.steer() == THEN


def test_every_cause_is_explained() -> None:
    assert all(CAUSES.values())
